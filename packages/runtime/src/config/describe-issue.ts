import type { z } from 'zod';
import type { KeyPath } from './key-path.ts';

export interface PathIssue {
  readonly path: KeyPath;
  readonly message: string;
}

const ZOD_SAYS = 'Invalid input: ';

const TYPE_PHRASES: Readonly<Record<string, string>> = {
  string: 'text; put a number or a true/false in quotes',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map of keys',
  record: 'a map of keys',
};

/** What zod found, as sentences that hold nothing of the value that was given. */
export function describeIssues(issue: z.core.$ZodIssue): PathIssue[] {
  const path = issue.path.map((segment) => (typeof segment === 'symbol' ? '?' : segment));
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: [...path, key], message: 'is not a key that is known here' }));
  }
  if (issue.code === 'invalid_key') {
    return issue.issues.map(({ message }) => ({ path, message }));
  }
  return [{ path, message: describe(issue) }];
}

function describe(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      // A field with a form of its own says which; zod's own words would tell what was given.
      if (!issue.message.startsWith(ZOD_SAYS)) return issue.message;
      return issue.message.endsWith('received undefined')
        ? 'is required'
        : `must be ${TYPE_PHRASES[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`;
    case 'too_small':
      return issue.origin === 'array' ? `needs at least ${issue.minimum} entry` : `must be at least ${issue.minimum}`;
    case 'too_big':
      return `must be at most ${issue.maximum}`;
    case 'custom':
    case 'invalid_union':
    case 'invalid_format':
      return issue.message;
    default:
      return 'cannot be used';
  }
}
