import { z } from 'zod';
import { codeSchema } from './code.ts';

/** The media type of every answer with a status of 400 and above. */
export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

/** One field that was not accepted: where it is, and a fixed code for what is wrong. Never the value itself. */
export const fieldProblemSchema = z.object({
  field: z
    .string()
    .describe('Its name; `unnamed` for one whose name is not repeated, since it may be a secret in the wrong place.'),
  problem: codeSchema.describe('What is wrong with it.'),
});
export type FieldProblem = z.output<typeof fieldProblemSchema>;

/** An error (RFC 9457). Switch on `code`; `detail` is for people and may change. */
export const problemSchema = z.object({
  type: z.string().describe('Always `about:blank`: `code` says more than a link could.'),
  title: z.string().describe('The name of the HTTP status.'),
  status: z.int().min(400).max(599).describe('The HTTP status.'),
  detail: z.string().describe('One sentence for a person; it may change.'),
  code: codeSchema.describe('What to switch on; it never changes its meaning.'),
  errors: z.array(fieldProblemSchema).optional().describe('Each field that was not accepted.'),
  scope: z.string().optional().describe('The scope that the key lacks, where the code is `scope_missing`.'),
});
export type Problem = z.output<typeof problemSchema>;
