import { z } from 'zod';
import { durationSchema } from '../answer/duration.ts';
import { reasonSchema } from '../hand/gate-order.ts';
import { payloadHashSchema } from './review.ts';

/** To deny, complete, cancel or redrive a callback: why. */
export const callbackOrderSchema = z.strictObject({ reason: reasonSchema });
export type CallbackOrder = z.output<typeof callbackOrderSchema>;

/** To let a callback out once more: why, what was looked at, and for how long the approval lasts (an hour unless given). */
export const approvalSchema = z.strictObject({
  reason: reasonSchema,
  payloadHash: payloadHashSchema.describe('The hash of what was looked at, as the review tells it.'),
  for: durationSchema.optional().describe('For how long the approval lasts, as `30m` or `2h`; an hour unless given.'),
});
export type Approval = z.output<typeof approvalSchema>;
