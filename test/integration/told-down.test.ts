import { type ConnectivityFacts, weighConnectivity } from '@tidegate/core';
import { connect, type Sql } from '@tidegate/store';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';

let database: TestDatabase;
let sql: Sql;

beforeAll(async () => {
  database = await createTestDatabase();
  sql = connect(database.url, { application: 'test' });
});
afterAll(async () => {
  await sql.end();
  await database.drop();
});

const status = fc.constantFrom('connected', 'disconnected' as const);
const factsArb: fc.Arbitrary<ConnectivityFacts> = fc.record({
  view: fc.option(
    fc
      .record({ status, knownAt: fc.nat(4), answered: fc.boolean() })
      .map((view) => ({ ...view, answered: view.answered && view.status === 'disconnected' })),
  ),
  suspectDisconnected: fc.boolean(),
  poll: fc.option(fc.record({ status, askedAt: fc.nat(4) })),
});

describe('told_down', () => {
  it('agrees with the pure rule on any facts', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(factsArb, { minLength: 200, maxLength: 200 }), async (given) => {
        const at = (ms: number | undefined) => (ms === undefined ? null : new Date(ms).toISOString());
        const rows = await sql<{ down: boolean }[]>`
          select told_down(i.disconnected, i.answered, i.known_at, i.suspect, i.polled, i.polled_at) as down
          from jsonb_to_recordset(${sql.json(
            given.map(({ view, suspectDisconnected, poll }) => ({
              disconnected: view === null ? null : view.status === 'disconnected',
              // As the store reads it: nothing observed equals nothing cleared.
              answered: view === null ? true : view.answered,
              known_at: at(view?.knownAt),
              suspect: suspectDisconnected,
              polled: poll?.status ?? null,
              polled_at: at(poll?.askedAt),
            })),
          )}) as i(disconnected boolean, answered boolean, known_at timestamptz, suspect boolean, polled text, polled_at timestamptz)`;
        expect(rows.map(({ down }) => down)).toEqual(
          given.map((facts) => weighConnectivity(facts).status === 'disconnected'),
        );
      }),
      { numRuns: 20 },
    );
  });
});
