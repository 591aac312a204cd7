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
  payloadHash: payloadHashSchema,
  for: durationSchema.optional(),
});
export type Approval = z.output<typeof approvalSchema>;
