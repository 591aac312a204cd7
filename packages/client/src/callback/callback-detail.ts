import { z } from 'zod';
import { codeSchema } from '../answer/code.ts';
import { instantSchema } from '../answer/instant.ts';
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
});

/** A callback with every attempt, first to last. */
export const callbackDetailSchema = callbackSchema.extend({ tries: z.array(attemptSchema) });
export type CallbackDetail = z.output<typeof callbackDetailSchema>;
