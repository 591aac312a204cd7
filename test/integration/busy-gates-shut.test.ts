import { claimLookups, connect, createCallback, reconcileOpenGates, type Sql } from '@tidegate/store';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { claim, hand, newCallback } from '../support/plant-callbacks.ts';
import { deliver, type PlantedService, plantService } from '../support/plant-service.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { until } from '../support/until.ts';

let database: TestDatabase;
let sql: Sql;
let planted: PlantedService;

beforeAll(async () => {
  database = await createTestDatabase();
  sql = connect(database.url, { application: 'test', connections: 8 });
  planted = await plantService(sql, 'agent');
});
afterAll(async () => {
  await sql.end();
  await database.drop();
});
beforeEach(async () => {
  await sql`truncate callback, attempt, ramp, circuit, reconciliation, reconciliation_item`;
  await sql`update gate set state = 'open', reason = 'verified'`;
  // Something to do for everybody who asks for the gate.
  await hand(sql);
  const status = { sealed: Buffer.from('sealed'), settleAfterMs: 1 };
  const [unasked, unsorted] = [await hand(sql, { status }), await hand(sql, { repeat: 'deduplicated' })];
  await sql`update callback set state = 'ambiguous', reconciliation_id = 'rec_1', unknown_since = clock_timestamp() where id = ${unasked}`;
  await sql`update callback set state = 'ambiguous', due_at = null where id = ${unsorted}`;
});

/** Everybody who works under the lock of a gate that is open; each answers whether it found the gate so. */
const USERS: Readonly<Record<string, () => Promise<boolean>>> = {
  'a hand-over': async () => {
    const created = await createCallback(sql, newCallback());
    return created.kind === 'created' && created.state === 'queued';
  },
  'a claim': async () => (await claim(sql)).length > 0,
  'a claim of lookups': async () =>
    (await claimLookups(sql, { limit: 9, leaseMs: 1000, silentAfterMs: 5000 })).length > 0,
  'a reconciliation': async () => (await reconcileOpenGates(sql)) > 0,
};
const PAIRS = Object.keys(USERS).flatMap((first) => Object.keys(USERS).map((second) => [first, second] as const));

/** Whoever waits for a lock now; `inside` are those that have got past the gate. */
async function waiting(): Promise<{ all: number; inside: number }> {
  const [row] = await sql<{ all: number; inside: number }[]>`
    select count(*)::int as all, count(*) filter (where l.relation = 'callback'::regclass and l.locktype = 'relation')::int as inside
    from pg_locks l join pg_stat_activity a using (pid) where a.datname = current_database() and not l.granted`;
  return row ?? { all: 0, inside: 0 };
}

describe('a Disconnected that waits for a gate in use', () => {
  it.each(PAIRS)('by %s is not overtaken by %s', async (first, second) => {
    const stopper = await sql.reserve();
    await stopper`begin`;
    // Everybody stops right behind the gate, with the gate's lock.
    await stopper`lock table callback in share mode`;
    const user = USERS[first]?.();
    await until('the gate is in use', waiting, ({ inside }) => inside === 1);
    const cut = deliver(sql, planted, { status: 'disconnected' });
    await until('the Disconnected waits', waiting, ({ all }) => all === 2);
    const late = USERS[second]?.();
    const { inside } = await until('whoever comes after it waits', waiting, ({ all }) => all === 3);
    await stopper`commit`;
    stopper.release();
    const [foundOpen] = await Promise.all([Promise.all([user, late]), cut]);
    expect({ inside, foundOpen }).toEqual({ inside: 1, foundOpen: [true, false] });
  });
});
