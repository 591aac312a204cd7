import { z } from 'zod';
import { codeSchema } from '../answer/code.ts';
import { instantSchema } from '../answer/instant.ts';

/** What a run found about one callback, why, and what followed. */
export const reconciliationEntrySchema = z.object({
  outcome: z
    .enum(['complete', 'not_started', 'ambiguous'])
    .describe('Whether it happened, was never sent, or nobody knows.'),
  reason: codeSchema.describe('How that is known.'),
  action: z.enum(['close', 'wait', 'send', 'look_up', 'resend', 'review']).describe('What follows from it.'),
  decidedAt: instantSchema.describe('When that was decided.'),
});
