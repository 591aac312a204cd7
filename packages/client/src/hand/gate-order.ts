import { z } from 'zod';
import { durationSchema } from '../answer/duration.ts';

/** Why a person decides something; kept in the audit trail and shown to others. */
export const reasonSchema = z.string().min(1).max(200).describe('Why; kept in the audit trail and shown to others.');

/** To hold a gate, or to force it open: why, and for how long. */
export const gateOrderSchema = z.strictObject({
  reason: reasonSchema,
  for: durationSchema.describe('For how long: one number and one unit, as `30m` or `2h`; 24 days at most.'),
});
export type GateOrder = z.output<typeof gateOrderSchema>;

/** To take a hold or a forced opening back. */
export const gateReleaseSchema = z.strictObject({
  reason: reasonSchema.optional().describe('Why, if there is something to say.'),
});
export type GateRelease = z.output<typeof gateReleaseSchema>;
