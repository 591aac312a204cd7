import { z } from 'zod';
import { instantSchema } from '../answer/instant.ts';
import { callbackDetailSchema } from '../callback/callback-detail.ts';

/** Keyed hash of everything that was handed over, which nobody can turn back: an approval names it. */
export const payloadHashSchema = z.string().regex(/^[0-9a-f]{64}$/);

/** What a person decided. */
const decisionSchema = z.object({
  decision: z.enum(['approve', 'deny', 'complete']).describe('What was decided.'),
  actor: z.string().describe('The name of the key it was decided with.'),
  reason: z.string().describe('Why.'),
  decidedAt: instantSchema.describe('When.'),
  expiresAt: instantSchema
    .nullable()
    .describe('Of an approval: until when it lets one attempt out; null for the others.'),
  usedAt: instantSchema.nullable().describe('When it let that attempt out.'),
});

/** A callback that waits for a person, or that a person has decided on, with the evidence. */
export const reviewSchema = callbackDetailSchema.extend({
  payloadHash: payloadHashSchema.describe(
    'Keyed hash of everything that was handed over, which nobody can turn back: an approval names it.',
  ),
  unknownSince: instantSchema.nullable().describe('Since when nobody knows its outcome; null if that was never so.'),
  decisions: z.array(decisionSchema).describe('What people decided, first to last.'),
});
export type Review = z.output<typeof reviewSchema>;
