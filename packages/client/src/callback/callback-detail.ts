import { z } from 'zod';
import { codeSchema } from '../answer/code.ts';
import { instantSchema } from '../answer/instant.ts';
import { reconciliationEntrySchema } from '../reconciliation/reconciliation-entry.ts';
import { callbackSchema } from './callback.ts';

/** One attempt. `phase` says how far it got: `maybe_received` is the one that nobody knows the outcome of. */
const attemptSchema = z.object({
  number: z.int().positive().describe('1 for the first.'),
  startedAt: instantSchema.describe('When it was begun.'),
  finishedAt: instantSchema.nullable().describe('When it ended; null while it is under way.'),
  phase: z
    .enum(['not_sent', 'maybe_received', 'answered'])
    .nullable()
    .describe('How far it got: of `maybe_received` nobody knows the outcome.'),
  status: z.int().nullable().describe('The HTTP status of the answer.'),
  reason: codeSchema.nullable().describe('What was made of it.'),
  latencyMs: z.int().nonnegative().nullable().describe('How long it took, in milliseconds.'),
  disprovedAt: instantSchema.nullable().describe('When a status lookup proved that this attempt had no effect.'),
});

/** A callback with every attempt, first to last. */
export const callbackDetailSchema = callbackSchema.extend({
  deadlineAt: instantSchema.nullable().describe('After this it is not sent any more.'),
  reconciliation: reconciliationEntrySchema
    .extend({ id: z.string().describe('The run; `GET /v1/reconciliations/{id}` takes it.') })
    .nullable()
    .describe('What the latest reconciliation found about it.'),
  tries: z.array(attemptSchema).describe('Every attempt, first to last.'),
});
export type CallbackDetail = z.output<typeof callbackDetailSchema>;
