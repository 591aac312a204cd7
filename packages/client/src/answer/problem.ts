import { z } from 'zod';
import { codeSchema } from './code.ts';

/** The media type of every answer with a status of 400 and above. */
export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

/** One field that was not accepted: where it is, and a fixed code for what is wrong. Never the value itself. */
export const fieldProblemSchema = z.object({ field: z.string(), problem: codeSchema });
export type FieldProblem = z.output<typeof fieldProblemSchema>;

/** An error (RFC 9457). Switch on `code`; `detail` is for people and may change. */
export const problemSchema = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int().min(400).max(599),
  detail: z.string(),
  code: codeSchema,
  errors: z.array(fieldProblemSchema).optional(),
  /** The scope that the key lacks, on a 403 with the code `scope_missing`. */
  scope: z.string().optional(),
});
export type Problem = z.output<typeof problemSchema>;
