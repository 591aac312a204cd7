import { z } from 'zod';
import { codeSchema } from '../answer/code.ts';
import { instantSchema } from '../answer/instant.ts';

/** What a run found about one callback, why, and what followed. */
export const reconciliationEntrySchema = z.object({
  outcome: z.enum(['complete', 'not_started', 'ambiguous']),
  reason: codeSchema,
  action: z.enum(['close', 'wait', 'send', 'look_up', 'resend', 'review']),
  decidedAt: instantSchema,
});
