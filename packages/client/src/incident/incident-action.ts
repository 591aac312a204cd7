import { z } from 'zod';
import { durationSchema } from '../answer/duration.ts';
import { reasonSchema } from '../hand/gate-order.ts';

/** To acknowledge takes nothing but the incident. */
export const acknowledgeRequestSchema = z.strictObject({});

/** A note to the timeline; line breaks become spaces. */
export const noteRequestSchema = z.strictObject({ note: z.string().min(1).max(500) });
export type NoteRequest = z.output<typeof noteRequestSchema>;

/** To end an incident: by the evidence there is, or by an override with a reason and an expiry. */
export const resolveRequestSchema = z.strictObject({
  override: z.strictObject({ reason: reasonSchema, for: durationSchema }).optional(),
});
export type ResolveRequest = z.output<typeof resolveRequestSchema>;
