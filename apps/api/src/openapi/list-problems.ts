import type { Operation, ProblemStatus } from './operation.ts';

export const PROBLEM_WORDS: Readonly<Record<ProblemStatus, string>> = {
  400: 'A field of the query or of the body is not as it must be; `errors` names it.',
  401: 'No key, or one that is not good any more.',
  403: 'The key lacks the scope, or may not act for this service.',
  404: 'There is nothing here, or nothing that this key may see.',
  405: 'The path does not take this method.',
  409: 'It is not in a state in which this can be done; `code` says why.',
  413: 'The body is too large.',
  415: 'The body is not JSON in UTF-8.',
  422: 'It was understood and cannot be accepted; `code` says why.',
  503: 'The database is away; ask again after `Retry-After`.',
};

/** The statuses of the problems an operation may answer, in order. Each route refuses a query that it does not know. */
export function listProblems({ scopes, problems = [], path }: Operation): ProblemStatus[] {
  const withKey: ProblemStatus[] = scopes.length > 0 ? [400, 401, 403, 503] : [];
  const always: ProblemStatus[] = path.startsWith('/v1') || path.startsWith('/feeds') ? [] : [405];
  return [...new Set([...withKey, ...always, ...problems])].sort((a, b) => a - b);
}
