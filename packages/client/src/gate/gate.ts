import { z } from 'zod';
import { codeSchema } from '../answer/code.ts';
import { instantSchema } from '../answer/instant.ts';
import { serviceNameSchema } from './service-name.ts';

/** May a callback of this service be sent now? Whatever cannot be read as `allowed` means held. */
export const gateSchema = z.object({
  service: serviceNameSchema,
  decision: z.enum(['allowed', 'held']),
  state: z.enum(['open', 'held', 'verifying', 'releasing']),
  reason: codeSchema,
  /** Raised whenever something shuts the gate. */
  generation: z.int().positive(),
  since: instantSchema,
  /** Until when the decision may be acted on, by the server's clock; a held gate has no lease, so it is the time of the answer. */
  validUntil: instantSchema,
  /** The open incident that names the service. */
  incident: z.string().nullable(),
});
export type Gate = z.output<typeof gateSchema>;

/** Several gates, by name. A service that was asked for and is absent is unknown, which means held. */
export const gateListSchema = z.object({ items: z.array(gateSchema) });
export type GateList = z.output<typeof gateListSchema>;
