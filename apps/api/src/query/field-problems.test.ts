import { callbackRequestSchema } from '@tidegate/client';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { verifies } from '../../../../test/support/verifies.ts';
import { fieldProblems } from './field-problems.ts';

function problems(schema: z.ZodType, received: unknown) {
  const parsed = schema.safeParse(received);
  return parsed.success ? [] : fieldProblems(parsed.error.issues, received);
}

const schema = z.strictObject({
  a: z.string().regex(/^x$/),
  b: z.enum(['p', 'q']),
  c: z.int().min(1).max(9),
  d: z.record(z.string(), z.string()).optional(),
});

describe('fieldProblems', () => {
  it.each<[unknown, [string, string][]]>([
    [
      {},
      [
        ['a', 'missing'],
        ['b', 'missing'],
        ['c', 'missing'],
      ],
    ],
    [
      { a: 1, b: 'r', c: 10 },
      [
        ['a', 'wrong_type'],
        ['b', 'not_allowed'],
        ['c', 'out_of_range'],
      ],
    ],
    [
      { a: 'y', b: 'p', c: 'x' },
      [
        ['a', 'malformed'],
        ['c', 'wrong_type'],
      ],
    ],
    [{ a: 'x', b: 'p', c: 1, d: { one: 1, two: 2 } }, [['d', 'wrong_type']]],
    [
      { a: 'x', b: 'p', c: 1, extra: 1, 'a secret!': 2, other_: 3 },
      [
        ['extra', 'unknown'],
        ['unnamed', 'unknown'],
      ],
    ],
    [null, [['body', 'wrong_type']]],
    [[], [['body', 'wrong_type']]],
  ])('%j', (received, expected) => {
    expect(problems(schema, received)).toEqual(expected.map(([field, problem]) => ({ field, problem })));
  });

  it(verifies('I3', 'says nothing of what was received but names that look like names'), () => {
    const ours = new Set(['body', 'unnamed', ...Object.keys(callbackRequestSchema.shape)]);
    fc.assert(
      fc.property(fc.dictionary(fc.string({ minLength: 1 }), fc.jsonValue()), (received) => {
        for (const { field, problem } of problems(callbackRequestSchema, received)) {
          expect(ours.has(field) || /^[A-Za-z]{1,24}$/.test(field)).toBe(true);
          expect(problem).toMatch(/^(missing|wrong_type|not_allowed|out_of_range|malformed|unknown)$/);
        }
      }),
    );
  });
});
