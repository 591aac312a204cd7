import { z } from 'zod';
import { codeSchema } from '../answer/code.ts';
import { instantSchema } from '../answer/instant.ts';
import { serviceNameSchema } from './service-name.ts';

/** May a callback of this service be sent now? Whatever cannot be read as `allowed` means held. */
export const gateSchema = z.object({
  service: serviceNameSchema.describe('The name of the service.'),
  decision: z
    .enum(['allowed', 'held'])
    .describe('Whether a callback may be sent now. Whatever cannot be read as `allowed` means held.'),
  state: z
    .enum(['open', 'held', 'verifying', 'releasing'])
    .describe('Where the gate is; callbacks may be sent while it is `open` or `releasing`.'),
  reason: codeSchema.describe('Why the decision is as it is.'),
  generation: z.int().positive().describe('Raised whenever something shuts the gate.'),
  since: instantSchema.describe('Since when the gate has been in this state.'),
  validUntil: instantSchema.describe(
    'Until when the decision may be acted on, by the clock of the server. A held gate has no lease: there it is the time of the answer.',
  ),
  incident: z.string().nullable().describe('The open incident that names the service.'),
});
export type Gate = z.output<typeof gateSchema>;

/** Several gates, by name. A service that was asked for and is absent is unknown, which means held. */
export const gateListSchema = z.object({ items: z.array(gateSchema).describe('By name.') });
export type GateList = z.output<typeof gateListSchema>;
