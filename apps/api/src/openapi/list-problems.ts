import { PROBLEM_CODES, type ProblemStatus } from '../answer/problem-codes.ts';
import type { Operation, ToldStatus } from './operation.ts';

/** The statuses of the problems an operation may answer, in order. Each route refuses a query that it does not know. */
export function listProblems({ scopes, problems = [], path }: Operation): ToldStatus[] {
  const withKey: ToldStatus[] = scopes.length > 0 ? [400, 401, 403, 503] : [];
  const always: ToldStatus[] = path.startsWith('/v1') || path.startsWith('/feeds') ? [] : [405];
  return [...new Set([...withKey, ...always, ...problems])].sort((a, b) => a - b);
}

/** The codes of a status and when each comes, in the words of the table. */
export function listCodes(status: ProblemStatus): [code: string, words: string][] {
  return Object.entries(PROBLEM_CODES[status]);
}
