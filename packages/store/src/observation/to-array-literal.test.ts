import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/test-database.ts';
import { connect, type Sql } from '../database/connect.ts';
import { toPlainArray, toTextArray } from './to-array-literal.ts';

/** The first test file of a run waits for its database server. */
const START_MS = 60_000;

let database: TestDatabase;
let sql: Sql;
beforeAll(async () => {
  database = await createTestDatabase();
  sql = connect(database.url, { application: 'test', connections: 1 });
}, START_MS);
afterAll(async () => {
  await sql.end();
  await database.drop();
});

/** What an array syntax gives a meaning of its own, and some of everything else but NUL, which no text column holds. */
const text = fc.oneof(
  fc.string({
    unit: fc.constantFrom('"', '\\', '{', '}', ',', ' ', "'", '\n', 'N', 'n', 'null', 'NULL', '😀'),
    maxLength: 8,
  }),
  fc.string({ unit: 'grapheme' }).map((value) => value.replaceAll('\u0000', '')),
);

describe('array literals', () => {
  it('hand texts over as they are, nulls included', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.option(text), { minLength: 1, maxLength: 6 }), async (values) => {
        const [row] = await sql<{ back: string[] | null }[]>`select to_jsonb(${toTextArray(values)}::text[]) as back`;
        expect(row?.back).toEqual(values.every((value) => value === null) ? null : values);
      }),
      { numRuns: 200 },
    );
  });

  it('hand numbers, booleans and uuids over as they are', async () => {
    const id = '01a22a1f-03bc-7000-8000-000000002580';
    const [row] = await sql`
      select to_jsonb(${toPlainArray([1n, null, -(2n ** 63n)])}::bigint[]::text[]) as ticks,
        to_jsonb(${toPlainArray([true, false])}::boolean[]) as flags, to_jsonb(${toPlainArray([id])}::uuid[]) as ids,
        to_jsonb(${toPlainArray([])}::int[]) as none`;
    expect(row).toEqual({ ticks: ['1', null, '-9223372036854775808'], flags: [true, false], ids: [id], none: [] });
  });
});
