import { z } from 'zod';
import { instantSchema } from '../answer/instant.ts';
import { pageOf } from '../answer/page.ts';
import { serviceNameSchema } from '../gate/service-name.ts';
import { layerSchema } from './layer.ts';

export const incidentStateSchema = z.enum(['open', 'acknowledged', 'resolved']);

/** One outage as on-call people see it. */
export const incidentSchema = z.object({
  id: z.string().describe('Its id, `inc_…`.'),
  kind: z.enum(['device', 'tunnel', 'application', 'mass', 'flapping']).describe('What kind of outage it is.'),
  state: incidentStateSchema.describe('`acknowledged` is still open, and somebody is looking.'),
  group: z
    .object({
      alias: z.string().describe('Alias of the device or tunnel; for a mass outage the name of the source group.'),
      name: z.string().nullable().describe('Its name; null while nobody has told it.'),
    })
    .describe('What it is about.'),
  services: z.array(serviceNameSchema).describe('The services it concerns, as far as the key may see them.'),
  openedAt: instantSchema.describe('When it was opened first.'),
  since: instantSchema.describe('When its present, or last, episode began: `openedAt`, or when it was last reopened.'),
  resolvedAt: instantSchema.nullable().describe('When it ended; null while it is open.'),
  reopened: z.int().nonnegative().describe('How often it came back after it was resolved.'),
  summary: z.string().describe('What is down and what is held, in one sentence.'),
  firstBroken: layerSchema
    .nullable()
    .describe(
      'Where the latest failed verification broke first; null before one failed, and for a key that sees only a part.',
    ),
});
export type Incident = z.output<typeof incidentSchema>;

export const incidentPageSchema = pageOf(incidentSchema);
export type IncidentPage = z.output<typeof incidentPageSchema>;
