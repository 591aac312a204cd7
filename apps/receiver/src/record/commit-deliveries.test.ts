import { randomUUID } from 'node:crypto';
import type { AppError } from '@tidegate/core';
import { connect, type DeliveryRecord, type Sql } from '@tidegate/store';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type PlantedService, plantService } from '../../../../test/support/plant-service.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/test-database.ts';
import { verifies } from '../../../../test/support/verifies.ts';
import { type CommitEffects, commitDeliveries } from './commit-deliveries.ts';

const SETTINGS = { skewBoundMs: 120_000, openAfterMs: 20_000, maxWaitMs: 120_000 };
/** More than a bigint holds: Postgres refuses the row (22003). */
const REFUSED_TICKS = 10n ** 19n;

/** The first test file of a run waits for its database server. */
const START_MS = 60_000;

let database: TestDatabase;
let sql: Sql;
let planted: PlantedService;
let effects: { readonly effects: CommitEffects; readonly size: number }[];

beforeAll(async () => {
  database = await createTestDatabase();
  sql = connect(database.url, { application: 'test', connections: 2 });
  planted = await plantService(sql, 'agent');
}, START_MS);
afterAll(async () => {
  await sql.end();
  await database.drop();
});
beforeEach(() => {
  effects = [];
});

function delivery(fields: Partial<DeliveryRecord> = {}): DeliveryRecord {
  return {
    deliveryId: randomUUID(),
    observationKey: randomUUID(),
    subjectId: planted.tunnelId,
    sourceId: planted.sourceId,
    status: 'disconnected',
    ticks: BigInt(Date.now()) * 10_000n,
    zone: 'utc',
    actionDate: '2026-11-30T01:02:03Z',
    sealedActionDate: null,
    extraFields: null,
    extraUnnamed: 0,
    ...fields,
  };
}

const commit = (batch: readonly DeliveryRecord[], over: Sql = sql) =>
  commitDeliveries(over, batch, SETTINGS, (told, size) => void effects.push({ effects: told, size }));

async function stored(batch: readonly DeliveryRecord[]): Promise<number> {
  const ids = batch.map((item) => item.deliveryId);
  const [row] = await sql<
    { count: number }[]
  >`select count(*)::int as count from delivery where id = any(${ids}::uuid[])`;
  return row?.count ?? 0;
}

/** The driver, failing the first statements with these codes; `after` sends the statement first, so that only the answer is lost. */
function failing(codes: readonly string[], when: 'before' | 'after' = 'before'): Sql {
  const left = [...codes];
  const statement = async (strings: TemplateStringsArray, ...values: never[]) => {
    const code = left.shift();
    if (code === undefined) return sql(strings, ...values);
    if (when === 'after') await sql(strings, ...values);
    throw Object.assign(new Error('the driver failed'), { code });
  };
  return statement as unknown as Sql;
}

describe('committing a batch of deliveries', () => {
  it('records each, in order, and tells what that set off', async () => {
    const known = delivery();
    await commit([known]);
    effects = [];
    const batch = [delivery(), delivery({ observationKey: known.observationKey }), delivery({ status: 'connected' })];
    expect(await commit(batch)).toEqual([
      { kind: 'recorded', repeat: false },
      { kind: 'recorded', repeat: true },
      { kind: 'recorded', repeat: false },
    ]);
    expect(await stored(batch)).toBe(3);
    expect(effects).toHaveLength(1);
    expect(effects[0]?.size).toBe(3);
    expect(effects[0]?.effects.verifyDue.length).toBeGreaterThan(0);
  });

  it.each([1, 2, 5, 8])('keeps the mates of a row that the database refuses, in a batch of %i', async (size) => {
    for (let bad = 0; bad < size; bad += 1) {
      const batch = Array.from({ length: size }, (_, index) => delivery(index === bad ? { ticks: REFUSED_TICKS } : {}));
      const outcomes = await commit(batch);
      expect(outcomes.map(({ kind }) => kind)).toEqual(
        batch.map((_, index) => (index === bad ? 'refused' : 'recorded')),
      );
      expect(await stored(batch)).toBe(size - 1);
      expect(effects.splice(0).reduce((sum, told) => sum + told.size, 0)).toBe(size - 1);
    }
  });

  it('refuses all when all are refused', async () => {
    const batch = [1, 2, 3].map(() => delivery({ ticks: REFUSED_TICKS }));
    expect(await commit(batch)).toEqual(batch.map(() => ({ kind: 'refused' })));
    expect(await stored(batch)).toBe(0);
    expect(effects).toEqual([]);
  });

  it('tries a lost deadlock or serialisation failure again, as it is', async () => {
    const batch = [delivery(), delivery()];
    expect(await commit(batch, failing(['40P01', '40001', '55P03']))).toEqual(
      batch.map(() => ({ kind: 'recorded', repeat: false })),
    );
    expect(await stored(batch)).toBe(2);
  });

  it('gives up after five tries', async () => {
    const error = await commit([delivery()], failing(Array.from({ length: 9 }, () => '40P01'))).catch(
      (thrown: AppError) => thrown,
    );
    expect(error).toMatchObject({ code: 'store_failed', detail: '40P01', retryable: true });
    expect(effects).toEqual([]);
  });

  it.each(['CONNECTION_CLOSED', 'ECONNRESET', '57P01', '08006'])(
    'promises nothing when the store is away or the outcome unknown (%s)',
    async (code) => {
      const error = await commit([delivery()], failing([code])).catch((thrown: AppError) => thrown);
      expect(error).toMatchObject({ code: 'store_unavailable', detail: code, retryable: true });
    },
  );

  it(verifies('I1', 'counts a batch once that is sent again because the answer to its commit was lost'), async () => {
    const batch = [delivery(), delivery()];
    await expect(commit(batch, failing(['CONNECTION_CLOSED'], 'after'))).rejects.toMatchObject({ retryable: true });
    expect(await stored(batch)).toBe(2);
    expect(await commit(batch)).toEqual(batch.map(() => ({ kind: 'recorded', repeat: false })));
    const keys = batch.map((item) => item.observationKey);
    const [row] = await sql`select count(*)::int as count from delivery where observation_key = any(${keys}::uuid[])`;
    expect(row?.count).toBe(2);
  });

  it(verifies('I3', 'reports a failure without the statement and its values'), async () => {
    const secret = 'a-token-in-a-refused-row';
    const poisoned = failing(['XX000']);
    const error = await commit([delivery({ actionDate: secret })], poisoned).catch((thrown: AppError) => thrown);
    expect(JSON.stringify({ ...error, message: (error as AppError).message })).not.toContain(secret);
  });
});
