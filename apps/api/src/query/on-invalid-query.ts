import type { z } from 'zod';
import { problem } from '../answer/problem.ts';
import { fieldProblems } from './field-problems.ts';

type Parsed =
  | { readonly success: true; readonly data: unknown }
  | { readonly success: false; readonly error: z.core.$ZodError; readonly data: unknown };

/** The answer to a query that does not parse: unknown names, repeats and bad values are all refused. */
export function onInvalidQuery(parsed: Parsed): Response | undefined {
  if (parsed.success) return undefined;
  const errors = fieldProblems(parsed.error.issues, parsed.data);
  return problem({ status: 400, code: 'malformed_request', detail: 'The query is not valid.', errors });
}
