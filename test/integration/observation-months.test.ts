import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { connect, type DeliveryRecord, listObservations, migrate, prune, recordBatch, type Sql } from '@tidegate/store';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { clearCorrelation, type PlantedFleet, plantFleet } from '../support/plant-fleet.ts';
import { RECORD_SETTINGS } from '../support/plant-service.ts';
import { cloneDatabase, createTestDatabase, prepareTemplate, type TestDatabase } from '../support/test-database.ts';
import { verifies } from '../support/verifies.ts';

const DAY_MS = 86_400_000;
const PERIODS = {
  observationsMs: 90 * DAY_MS,
  incidentsMs: 365 * DAY_MS,
  verificationsMs: 30 * DAY_MS,
  callbacksMs: 30 * DAY_MS,
  idempotencyMs: 7 * DAY_MS,
  quarantineMs: 30 * DAY_MS,
};

let database: TestDatabase;
let sql: Sql;
let fleet: PlantedFleet;

beforeAll(async () => {
  database = await createTestDatabase();
  sql = connect(database.url, { application: 'test' });
});
afterAll(async () => {
  await sql.end();
  await database.drop();
});
beforeEach(async () => {
  await clearCorrelation(sql);
  fleet = await plantFleet(sql, { devices: 2 });
});

/** The first moment (UTC) of the month so many after this one. */
function monthStart(months: number): Date {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months));
}

/** The name of a month's partition. */
function partition(table: 'observation' | 'delivery', months: number): string {
  return `${table}_${monthStart(months).toISOString().slice(0, 7).replace('-', '_')}`;
}

/** A delivery id as a receiver makes it at this moment. */
function idAt(at: Date): string {
  const time = at.getTime().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}

function record(at: Date, fields: Partial<DeliveryRecord> = {}): DeliveryRecord {
  return {
    deliveryId: idAt(at),
    observationKey: randomUUID(),
    subjectId: fleet.devices[0]?.id ?? 0,
    sourceId: fleet.sourceId,
    status: 'disconnected',
    ticks: BigInt(at.getTime()) * 10_000n,
    zone: 'utc',
    actionDate: 'planted',
    sealedActionDate: null,
    extraFields: null,
    extraUnnamed: 0,
    ...fields,
  };
}

async function recordAt(at: Date, fields: Partial<DeliveryRecord> = {}) {
  const delivery = record(at, fields);
  return recordBatch(sql, [delivery], RECORD_SETTINGS, at);
}

/** How many rows each partition of a table holds. */
async function rowsByPartition(over: Sql, table: 'observation' | 'delivery'): Promise<Record<string, number>> {
  const rows = await over<{ name: string; rows: number }[]>`
    select tableoid::regclass::text as name, count(*)::int as rows from ${over(table)} group by 1 order by 1`;
  return Object.fromEntries(rows.map(({ name, rows: count }) => [name, count]));
}

/** Those of these tables that there are. */
async function existing(names: readonly string[]): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select name from unnest(${[...names]}::text[]) name where to_regclass(name) is not null`;
  return rows.map(({ name }) => name);
}

/** Months of the past with their partitions, and in each so many observations of the first device and its tunnel, delivered once. */
async function fillMonths(months: readonly number[], rows: number): Promise<void> {
  for (const month of months) {
    const at = monthStart(month);
    await sql`select create_month('observation', month_of(${at})), create_month('delivery', month_of(${at}))`;
    await sql`
      with made as (
        insert into observation (month, key, subject_id, source_id, status, ticks, trusted, first_received_at)
        select month_of(${at}), gen_random_uuid(), ${fleet.devices[0]?.id ?? 0} + n % 2, ${fleet.sourceId}, 'connected', ticks_of(at), true, at
        from generate_series(1, ${rows}::int) n cross join lateral (select ${at}::timestamptz + n * interval '1 second') t(at)
        returning key, first_received_at
      ), known as (
        insert into observation_key (key, first_delivery_id, first_received_at)
        select key, overlay(first_uuid_of(month_of(${at}))::text placing right(key::text, 12) from 25)::uuid, first_received_at
        from made returning *
      )
      insert into delivery (id, observation_key, source_id, received_at)
      select first_delivery_id, key, ${fleet.sourceId}, first_received_at from known`;
  }
}

describe('a database from before the months', () => {
  const FOLDER = new URL('../../packages/store/migrations/', import.meta.url);

  /** Applies the migrations before the one of the months, as the migrator does. */
  async function migrateUntilMonths(url: string): Promise<void> {
    const old = connect(url, { application: 'test' });
    const journal = JSON.parse(await readFile(new URL('meta/_journal.json', FOLDER), 'utf8')) as {
      entries: { tag: string; when: number }[];
    };
    await old`create schema drizzle`;
    await old`create table drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)`;
    for (const { tag, when } of journal.entries) {
      if (tag === '0009_observation_months') break;
      const text = await readFile(new URL(`${tag}.sql`, FOLDER), 'utf8');
      for (const statement of text.split('--> statement-breakpoint')) await old.unsafe(statement);
      await old`insert into drizzle.__drizzle_migrations (hash, created_at) values (${tag}, ${when})`;
    }
    await old.end();
  }

  it(verifies('I1', 'keeps every row, each in its month, and still knows a repeat'), async () => {
    const own = await cloneDatabase(await prepareTemplate('before_months', migrateUntilMonths));
    const over = connect(own.url, { application: 'test' });
    try {
      const planted = await plantFleet(over, { devices: 1 });
      const subjectId = planted.devices[0]?.id ?? 0;
      const times = [-14, -2, -2, 0].map((months, index) => new Date(monthStart(months).getTime() + index));
      const keys = times.map(() => randomUUID());
      for (const [index, at] of times.entries()) {
        const first = index === 0 ? randomUUID() : idAt(at);
        await over`
          insert into observation (key, subject_id, source_id, status, action_date, sealed_action_date, ticks, zone, trusted, first_delivery_id, first_received_at)
          values (${keys[index] ?? ''}, ${subjectId}, 1, 'connected', 'x', ${Buffer.of(index)}, ${index}, 'utc', true, ${first}, ${at})`;
        await over`
          insert into delivery (id, observation_key, source_id, received_at, extra_fields, extra_unnamed)
          values (${first}, ${keys[index] ?? ''}, 1, ${at}, 'a', 1), (${idAt(new Date())}, ${keys[index] ?? ''}, 1, now(), null, 0)`;
      }
      await over`
        insert into connectivity (subject_id, ticks, disconnected, observation_key, moved_at) values (${subjectId}, 3, false, ${keys[3] ?? ''}, now())`;
      const read = async () => ({
        observations: await over`
          select key, subject_id, source_id, status, action_date, sealed_action_date, ticks::text, zone, trusted, first_received_at
          from observation order by first_received_at`,
        deliveries: await over`select * from delivery order by id`,
        told: await over`select * from subject_told order by 1`,
      });
      const before = await read();
      expect((await migrate(own.url)).applied).toBeGreaterThan(0);
      expect(await read()).toEqual(before);
      expect(await rowsByPartition(over, 'observation')).toEqual({
        [partition('observation', -14)]: 1,
        [partition('observation', -2)]: 2,
        [partition('observation', 0)]: 1,
      });
      expect(await rowsByPartition(over, 'delivery')).toEqual({
        delivery_default: 1,
        [partition('delivery', -2)]: 2,
        [partition('delivery', 0)]: 5,
      });
      expect(await over`select key, first_received_at from observation_key order by first_received_at`).toEqual(
        keys.map((key, index) => ({ key, firstReceivedAt: times[index] })),
      );
      const again = keys.map((observationKey) => record(new Date(), { observationKey, subjectId }));
      const { repeats } = await recordBatch(over, [...again, record(new Date(), { subjectId })], RECORD_SETTINGS);
      expect(repeats).toEqual([true, true, true, true, false]);
    } finally {
      await over.end();
      await own.drop();
    }
  }, 60_000);
});

describe('the months', () => {
  it(verifies('I5', 'a fact delivered in two of them is one observation, delivered twice'), async () => {
    const observationKey = randomUUID();
    const [first, then] = [monthStart(0), monthStart(1)];
    expect((await recordAt(first, { observationKey })).repeats).toEqual([false]);
    expect((await recordAt(then, { observationKey })).repeats).toEqual([true]);
    expect(await rowsByPartition(sql, 'observation')).toEqual({ [partition('observation', 0)]: 1 });
    expect(await rowsByPartition(sql, 'delivery')).toEqual({
      [partition('delivery', 0)]: 1,
      [partition('delivery', 1)]: 1,
    });
    const page = await listObservations(sql, { subject: null, cursor: null, limit: 10 });
    expect(page.items).toMatchObject([{ key: observationKey, deliveries: 2 }]);
  });

  it(verifies('I5', 'a fact told in two of them at once is one observation, new to one of the two'), async () => {
    for (let round = 0; round < 20; round += 1) {
      const observationKey = randomUUID();
      const answers = await Promise.all(
        [0, 1, 2].map((months) => recordAt(monthStart(months), { observationKey, status: 'connected' })),
      );
      expect(answers.flatMap(({ repeats }) => repeats).sort()).toEqual([false, true, true]);
    }
    expect(await sql`select key from observation group by key having count(*) > 1`).toEqual([]);
    expect((await sql`select count(*)::int as count from observation`)[0]).toEqual({ count: 20 });
  });

  it(verifies('I1', 'a batch sent again after the month ended counts once'), async () => {
    const delivery = record(new Date(monthStart(1).getTime() - 1));
    expect((await recordBatch(sql, [delivery], RECORD_SETTINGS, monthStart(0))).repeats).toEqual([false]);
    expect((await recordBatch(sql, [delivery], RECORD_SETTINGS, monthStart(1))).repeats).toEqual([false]);
    expect((await sql`select count(*)::int as count from delivery`)[0]).toEqual({ count: 1 });
  });

  it('are made ahead, by migration and by every run of retention', async () => {
    const ahead = [0, 1, 2].flatMap((months) => [partition('observation', months), partition('delivery', months)]);
    expect(await existing(ahead)).toEqual(ahead);
    for (const name of ahead.slice(2)) await sql`drop table ${sql(name)}`;
    await prune(sql, PERIODS);
    expect(await existing(ahead)).toEqual(ahead);
  });

  it(verifies('I1', 'no month need be there: what comes early is kept, and moved into its month later'), async () => {
    const at = monthStart(7);
    await recordAt(at);
    expect(await rowsByPartition(sql, 'observation')).toEqual({ observation_default: 1 });
    expect(await rowsByPartition(sql, 'delivery')).toEqual({ delivery_default: 1 });
    await sql`select create_month('observation', month_of(${at})), create_month('delivery', month_of(${at}))`;
    await recordAt(at);
    expect(await rowsByPartition(sql, 'observation')).toEqual({ [partition('observation', 7)]: 2 });
    expect(await rowsByPartition(sql, 'delivery')).toEqual({ [partition('delivery', 7)]: 2 });
  });

  it('one of which too much came early to be moved stays in the default partition, and is pruned there', async () => {
    await fillMonths([-9], 10_001);
    await sql`alter table observation detach partition ${sql(partition('observation', -9))}`;
    await sql`insert into observation select * from ${sql(partition('observation', -9))}`;
    await sql`drop table ${sql(partition('observation', -9))}`;
    const at = monthStart(-9);
    expect(await sql`select create_month('observation', month_of(${at})) as made`).toEqual([{ made: false }]);
    expect(await prune(sql, PERIODS)).toMatchObject({ observations: 9_999, deliveries: 10_001, months: 1 });
    expect(await rowsByPartition(sql, 'observation')).toEqual({ observation_kept: 2 });
  });
});

describe('a month whose retention is over', () => {
  const OLD = [-6, -5];
  const PARTITIONS = OLD.flatMap((months) => [partition('observation', months), partition('delivery', months)]);

  /** About the other device: what waits for the correlator keeps the observations of its whole group. */
  const fresh = (fields: Partial<DeliveryRecord> = {}) =>
    record(new Date(), { subjectId: fleet.devices[1]?.id ?? 0, ...fields });

  /** Fails rather than waits when recording is held up for longer than pruning may ever do. */
  const recordBounded = (batch: readonly DeliveryRecord[]) =>
    sql.begin(async (tx) => {
      await tx`set local lock_timeout = '2s'`;
      return recordBatch(tx, batch, RECORD_SETTINGS);
    });

  it(verifies('I1', 'is dropped while deliveries come: none is lost, none counts twice'), async () => {
    await fillMonths(OLD, 3000);
    const told: string[] = [];
    let over = false;
    const known = randomUUID();
    await recordBounded([fresh({ observationKey: known })]);
    const ingest = async () => {
      while (!over || told.length < 50) {
        const batch = [fresh(), fresh({ observationKey: known })];
        expect((await recordBounded(batch)).repeats).toEqual([false, true]);
        told.push(...batch.map(({ deliveryId }) => deliveryId));
      }
    };
    const prunes = async () => {
      let dropped = 0;
      // Where a lock is not to be had in time, the month is dropped the next time.
      for (let run = 0; run < 20 && dropped < PARTITIONS.length; run += 1)
        dropped += (await prune(sql, PERIODS))?.months ?? 0;
      over = true;
    };
    await Promise.all([ingest(), ingest(), prunes()]);
    expect(await existing(PARTITIONS)).toEqual([]);
    expect(await sql`select subject_id::int from observation_kept order by 1`).toEqual(
      [fleet.devices[0]?.id, fleet.devices[0]?.tunnels[0]?.id].map((subjectId) => ({ subjectId })),
    );
    const [row] = await sql`
      select count(*)::int as count, count(distinct id)::int as ids from delivery where id = any(${told}::uuid[])`;
    expect(row).toEqual({ count: told.length, ids: told.length });
    const orphans = await sql`
      select 1 from observation o full join observation_key k using (key) where o.key is null or k.key is null
        or o.first_received_at <> k.first_received_at`;
    expect(orphans).toEqual([]);
    expect((await sql`select count(*)::int as count from observation_key where key = ${known}`)[0]).toEqual({
      count: 1,
    });
  }, 60_000);

  it('stays while somebody reads the table, and holds nobody up', async () => {
    await fillMonths(OLD, 10);
    await sql.begin(async (tx) => {
      await tx`select count(*) from observation, delivery`;
      const [pruned] = await Promise.all([
        prune(sql, PERIODS),
        ...Array.from({ length: 20 }, () => recordBounded([fresh()])),
      ]);
      expect(pruned).toMatchObject({ observations: 18, months: 0 });
      expect(await existing(PARTITIONS)).toEqual(PARTITIONS);
    });
    expect(await prune(sql, PERIODS)).toMatchObject({ observations: 0, months: PARTITIONS.length });
    expect(await rowsByPartition(sql, 'observation')).toMatchObject({ observation_kept: 2 });
  });

  it('stays while one of its deliveries was recorded later, by a receiver that had to wait', async () => {
    await fillMonths(OLD.slice(0, 1), 10);
    const late = fresh({ deliveryId: idAt(monthStart(-6)) });
    await recordBatch(sql, [late], RECORD_SETTINGS);
    expect(await prune(sql, PERIODS)).toMatchObject({ months: 1 });
    expect(await existing([partition('delivery', -6)])).toHaveLength(1);
    await sql`delete from delivery where id = ${late.deliveryId}`;
    expect(await prune(sql, PERIODS)).toMatchObject({ months: 1, deliveries: 10 });
  });

  it('leaves what is needed, until it no longer is', async () => {
    await fillMonths(OLD, 10);
    await prune(sql, PERIODS);
    const kept = await sql`select key from observation order by key`;
    expect(await rowsByPartition(sql, 'observation')).toEqual({ observation_kept: 2 });
    expect(await sql`select key from observation_key order by key`).toEqual(kept);
    const repeat = await recordBounded([fresh({ observationKey: String(kept[0]?.key) })]);
    expect(repeat.repeats).toEqual([true]);
    await sql`truncate pending, delivery`;
    await fillMonths([-4], 2);
    expect(await prune(sql, { ...PERIODS, observationsMs: 80 * DAY_MS })).toMatchObject({ observations: 2 });
    expect(await rowsByPartition(sql, 'observation')).toEqual({ observation_kept: 2 });
  });
});
