import { z } from 'zod';
import { instantSchema } from '../answer/instant.ts';
import { callbackDetailSchema } from '../callback/callback-detail.ts';

/** Keyed hash of everything that was handed over, which nobody can turn back: an approval names it. */
export const payloadHashSchema = z.string().regex(/^[0-9a-f]{64}$/);

/** What a person decided. */
const decisionSchema = z.object({
  decision: z.enum(['approve', 'deny', 'complete']),
  actor: z.string(),
  reason: z.string(),
  decidedAt: instantSchema,
  /** Of an approval: until when it lets one attempt out; null for the others. */
  expiresAt: instantSchema.nullable(),
  /** When it let that attempt out. */
  usedAt: instantSchema.nullable(),
});

/** A callback that waits for a person, or that a person has decided on, with the evidence. */
export const reviewSchema = callbackDetailSchema.extend({
  payloadHash: payloadHashSchema,
  /** Since when nobody knows its outcome; null if that was never so. */
  unknownSince: instantSchema.nullable(),
  /** First to last. */
  decisions: z.array(decisionSchema),
});
export type Review = z.output<typeof reviewSchema>;
