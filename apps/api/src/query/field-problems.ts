import type { FieldProblem } from '@tidegate/client';
import type { z } from 'zod';

/** A name that was received is repeated only if it looks like one: anything else may be a secret in the wrong place (I3). */
const NAMEABLE = /^[A-Za-z]{1,24}$/;

type Issue = z.core.$ZodIssue;

/** What zod found, as field and fixed code; never a value, nor a name that was made up by the sender. */
export function fieldProblems(issues: readonly Issue[], received: unknown): FieldProblem[] {
  const found = issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({ field: NAMEABLE.test(key) ? key : 'unnamed', problem: 'unknown' }));
    }
    // Only our own fields come first in a path; what is below may be a name of the sender's, as that of a header.
    return [{ field: String(issue.path[0] ?? 'body'), problem: problemOf(issue, received) }];
  });
  return found.filter(
    (one, index) => found.findIndex((other) => other.field === one.field && other.problem === one.problem) === index,
  );
}

function problemOf(issue: Issue, received: unknown): string {
  switch (issue.code) {
    case 'invalid_type':
      return valueAt(received, issue.path) === undefined ? 'missing' : 'wrong_type';
    case 'invalid_value':
      return valueAt(received, issue.path) === undefined ? 'missing' : 'not_allowed';
    case 'too_big':
    case 'too_small':
      return 'out_of_range';
    default:
      return 'malformed';
  }
}

function valueAt(received: unknown, path: readonly PropertyKey[]): unknown {
  let value = received;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}
