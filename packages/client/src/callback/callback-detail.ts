import { z } from 'zod';
import { codeSchema } from '../answer/code.ts';
import { instantSchema } from '../answer/instant.ts';
import { reconciliationEntrySchema } from '../reconciliation/reconciliation-entry.ts';
import { callbackSchema } from './callback.ts';

/** One attempt. `phase` says how far it got: `maybe_received` is the one that nobody knows the outcome of. */
const attemptSchema = z.object({
  number: z.int().positive(),
  startedAt: instantSchema,
  finishedAt: instantSchema.nullable(),
  phase: z.enum(['not_sent', 'maybe_received', 'answered']).nullable(),
  /** The HTTP status of the answer. */
  status: z.int().nullable(),
  reason: codeSchema.nullable(),
  latencyMs: z.int().nonnegative().nullable(),
  /** When a status lookup proved that this attempt had no effect. */
  disprovedAt: instantSchema.nullable(),
});

/** A callback with every attempt, first to last. */
export const callbackDetailSchema = callbackSchema.extend({
  /** After this it is not sent any more. */
  deadlineAt: instantSchema.nullable(),
  /** What the latest run found about it, whose id `GET /v1/reconciliations/{id}` takes. */
  reconciliation: reconciliationEntrySchema.extend({ id: z.string() }).nullable(),
  tries: z.array(attemptSchema),
});
export type CallbackDetail = z.output<typeof callbackDetailSchema>;
