import { z } from 'zod';
import { instantSchema } from '../answer/instant.ts';
import { pageOf } from '../answer/page.ts';
import { serviceNameSchema } from '../gate/service-name.ts';
import { layerSchema } from './layer.ts';

export const incidentStateSchema = z.enum(['open', 'acknowledged', 'resolved']);

/** One outage as on-call people see it. */
export const incidentSchema = z.object({
  id: z.string(),
  kind: z.enum(['device', 'tunnel', 'application', 'mass', 'flapping']),
  state: incidentStateSchema,
  /** The device or tunnel it is about; for a mass outage the source group, whose name is both. */
  group: z.object({ alias: z.string(), name: z.string().nullable() }),
  services: z.array(serviceNameSchema),
  openedAt: instantSchema,
  resolvedAt: instantSchema.nullable(),
  /** How often it came back after it was resolved. */
  reopened: z.int().nonnegative(),
  summary: z.string(),
  /** Where the latest failed verification broke first; null before one failed, and for a key that sees only a part. */
  firstBroken: layerSchema.nullable(),
});
export type Incident = z.output<typeof incidentSchema>;

export const incidentPageSchema = pageOf(incidentSchema);
export type IncidentPage = z.output<typeof incidentPageSchema>;
