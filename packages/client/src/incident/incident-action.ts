import { z } from 'zod';
import { durationSchema } from '../answer/duration.ts';
import { reasonSchema } from '../hand/gate-order.ts';

/** To acknowledge takes nothing but the incident. */
export const acknowledgeRequestSchema = z.strictObject({});

/** A note to the timeline; line breaks become spaces. */
export const noteRequestSchema = z.strictObject({
  note: z.string().min(1).max(500).describe('The words; line breaks become spaces.'),
});
export type NoteRequest = z.output<typeof noteRequestSchema>;

/** To end an incident: by the evidence there is, or by an override with a reason and an expiry. */
export const resolveRequestSchema = z.strictObject({
  override: z
    .strictObject({
      reason: reasonSchema,
      for: durationSchema.describe(
        'When it is looked at again: one number and one unit, as `30m` or `2h`; 24 days at most.',
      ),
    })
    .optional()
    .describe('To end it without a verification. Absent: it ends only if a verification has proved that it is over.'),
});
export type ResolveRequest = z.output<typeof resolveRequestSchema>;
