import { claimCallbacks, connect, endRelease, type Sql } from '@tidegate/store';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type PlantedService, plantService } from '../support/plant-service.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';

const [FEW, MANY] = [100, 10_000];
/** Pages for each that waits: to read the whole table through a few times costs less, to ask about each ten times as much. */
const MOST_PAGES_EACH = 0.2;

let database: TestDatabase;
let sql: Sql;
let planted: PlantedService;

beforeAll(async () => {
  database = await createTestDatabase();
  // One connection, which tells of itself.
  sql = connect(database.url, { application: 'test', connections: 1 });
  planted = await plantService(sql, 'agent');
});
afterAll(async () => {
  await sql.end();
  await database.drop();
});
beforeEach(async () => {
  await sql`update gate set state = 'releasing', reason = 'verified'`;
});

/** How many pages of the callbacks and of their indexes `work` looks at. */
async function countPages(work: () => Promise<unknown>): Promise<number> {
  const read = async () => {
    await sql`select pg_stat_force_next_flush()`;
    const [row] = await sql<{ pages: number }[]>`
      select (heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read)::int as pages
      from pg_statio_user_tables where relname = 'callback'`;
    return row?.pages ?? 0;
  };
  const before = await read();
  await work();
  return (await read()) - before;
}

interface Backlog {
  readonly count: number;
  /** SQL for the ordering key of the callback number `i`. */
  readonly key: string;
  readonly origins: number;
  /** Of each key, in an hour: the first. */
  readonly firstIsLate?: boolean;
}

async function plant({ count, key, origins, firstIsLate = false }: Backlog): Promise<void> {
  await sql`truncate callback, attempt, ramp, circuit`;
  await sql`
    insert into callback (id, service_id, key_hash, payload_hash, state, method, origin, safety, repeat, sealed_url, sealed_headers,
      sealed_idempotency_key, created_at, due_at, ordering_hash, generation, reconciliation_id)
    select 'cb_' || i, ${planted.serviceId}, int4send(i), 'p', 'queued', 'POST', 'https://a' || (i % ${origins}) || '.example', 'unsafe',
      'forbidden', 'x', 'x', 'x', clock_timestamp() + i * interval '1 microsecond' - interval '1 hour', clock_timestamp(),
      ${sql.unsafe(key)}, (select generation from gate), 'rec_1'
    from generate_series(1, ${count}::int) i`;
  if (firstIsLate) {
    await sql`
      update callback set state = 'retrying', due_at = clock_timestamp() + interval '1 hour'
      where id in (select distinct on (ordering_hash) id from callback order by ordering_hash, created_at)`;
  }
  await sql`vacuum analyze callback`;
}

const policyOf = () => ({ canary: 20, maxPerSecond: 20 });
const claim = () => claimCallbacks(sql, { limit: 128, leaseMs: 60_000, silentAfterMs: 5000, policyOf });

const BACKLOGS: readonly (readonly [string, Omit<Backlog, 'count'>, number])[] = [
  ['behind the first of their key', { key: `'k'`, origins: 1 }, 1],
  ['behind the firsts of fifty keys at ten destinations', { key: 'int4send(i % 50)', origins: 10 }, 50],
  ['behind a retry that is far away', { key: `'k'`, origins: 1, firstIsLate: true }, 0],
  ['for their turn, without a key', { key: 'null::bytea', origins: 1 }, 20],
];

describe('callbacks that wait', () => {
  it.each(BACKLOGS)('%s do not make a claim dearer', async (_name, backlog, claimable) => {
    const count = async (waiting: number) => {
      await plant({ ...backlog, count: waiting });
      let claimed = 0;
      const pages = await countPages(async () => {
        claimed = (await claim()).claimed.length;
      });
      expect(claimed).toBe(claimable);
      return pages;
    };
    const [few, many] = [await count(FEW), await count(MANY)];
    expect(few).toBeGreaterThan(0);
    expect((many - few) / (MANY - FEW)).toBeLessThan(MOST_PAGES_EACH);
  });

  it('behind a retry that is far away do not make the end of a release dearer', async () => {
    const count = async (waiting: number) => {
      await sql`update gate set state = 'releasing'`;
      await plant({ count: waiting, key: `'k'`, origins: 1, firstIsLate: true });
      let ended: string[] = [];
      const pages = await countPages(async () => {
        ended = await endRelease(sql);
      });
      expect(ended).toEqual(['agent']);
      return pages;
    };
    const [few, many] = [await count(FEW), await count(MANY)];
    expect((many - few) / (MANY - FEW)).toBeLessThan(MOST_PAGES_EACH);
  });
});
