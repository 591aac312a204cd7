import { decideLookup } from '@tidegate/core';
import {
  type ClaimedCallback,
  claimLookups,
  connect,
  finishLookup,
  type NewCallback,
  readCallback,
  reconcileOpenGates,
  type Sql,
} from '@tidegate/store';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { claim, finish, hand } from '../support/plant-callbacks.ts';
import { deliver, type PlantedService, plantService } from '../support/plant-service.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { verifies } from '../support/verifies.ts';
import { openByVerification } from '../support/verify-service.ts';

const HOUR_MS = 3_600_000;
const STATUS = { sealed: Buffer.from('sealed'), settleAfterMs: 60_000 };
const AN_HOUR = { state: 'retrying', reason: 'try_later', delayMs: HOUR_MS } as const;

let database: TestDatabase;
let sql: Sql;
let planted: PlantedService;

beforeAll(async () => {
  database = await createTestDatabase();
  sql = connect(database.url, { application: 'test' });
  planted = await plantService(sql, 'agent');
});

afterAll(async () => {
  await sql.end();
  await database.drop();
});

beforeEach(async () => {
  await sql`truncate callback, attempt, ramp, circuit, reconciliation, reconciliation_item, review`;
  await sql`update gate set state = 'open', reason = 'verified', since = clock_timestamp()`;
});

const cut = () => deliver(sql, planted, { status: 'disconnected' });
const release = () => openByVerification(sql, planted.serviceId);

async function begin(change: Partial<NewCallback> = {}): Promise<ClaimedCallback> {
  const id = await hand(sql, { repeat: 'deduplicated', ...change });
  const claimed = (await claim(sql)).find((one) => one.id === id);
  if (claimed === undefined) throw new Error('not claimed');
  return claimed;
}

async function lookUp(result: 'not_found' | 'unknown') {
  const [lookup] = await claimLookups(sql, { limit: 9, leaseMs: 1000, silentAfterMs: 5000 });
  if (lookup === undefined) throw new Error('no lookup is due');
  const decision = decideLookup({ ...lookup, result }, null, 0.5);
  await finishLookup(sql, { callbackId: lookup.id, lookups: lookup.lookups, decision });
  return decision;
}

async function expectDueInAnHour(id: string) {
  const callback = await readCallback(sql, id, null);
  expect(callback?.state).toBe('retrying');
  const [row] = await sql<{ waitsMs: number }[]>`
    select extract(epoch from due_at - clock_timestamp())::float8 * 1000 as waits_ms from callback where id = ${id}`;
  expect(row?.waitsMs).toBeGreaterThan(HOUR_MS * 0.9);
}

describe('the wait that a destination asked for', () => {
  it('outlasts a gate that shuts while others wait, and opens again', async () => {
    const { id, ...claimed } = await begin();
    await finish(sql, { id, ...claimed }, 'refused', { next: AN_HOUR });
    await hand(sql);
    await cut();
    expect(await claim(sql)).toEqual([]);
    expect((await readCallback(sql, id, null))?.state).toBe('held');
    await release();
    expect((await claim(sql)).map((one) => one.id)).not.toContain(id);
    expect(await readCallback(sql, id, null)).toMatchObject({ state: 'queued', attempts: 1 });
  });

  it('outlasts a lookup that finds nothing out', async () => {
    const claimed = await begin({ status: STATUS });
    await finish(sql, claimed, 'server_error', { next: AN_HOUR });
    await cut();
    await release();
    expect((await lookUp('unknown')).state).toBe('retrying');
    expect(await claim(sql)).toEqual([]);
    await expectDueInAnHour(claimed.id);
  });

  it('outlasts a gate that flapped while the attempt was under way', async () => {
    const claimed = await begin();
    await cut();
    await release();
    await finish(sql, claimed, 'refused', { next: AN_HOUR });
    await hand(sql, { origin: 'https://other.example' });
    await claim(sql);
    await reconcileOpenGates(sql);
    expect((await claim(sql)).map((one) => one.id)).not.toContain(claimed.id);
    expect(await readCallback(sql, claimed.id, null)).toMatchObject({ state: 'queued', attempts: 1 });
  });

  it('is no longer than it was: what was due before the gate shut is due when it opens', async () => {
    const claimed = await begin();
    await finish(sql, claimed, 'refused');
    await cut();
    await claim(sql);
    await release();
    expect((await claim(sql)).map((one) => one.id)).toEqual([claimed.id]);
  });
});

describe(verifies('I7', 'what "not found" proves has to settle after the last request that left'), () => {
  const back = (ms: number) => sql`
    update callback set unknown_since = unknown_since - make_interval(secs => ${ms}::float8 / 1000)`;

  it('whenever the callback was reconciled before', async () => {
    await sql`update gate set state = 'held'`;
    await hand(sql, { repeat: 'deduplicated', status: STATUS });
    await release();
    await back(10 * HOUR_MS);
    const [claimed] = await claim(sql);
    if (claimed === undefined) throw new Error('not claimed');
    await finish(sql, claimed, 'server_error', { next: { state: 'retrying', reason: 'server_error', delayMs: 0 } });
    await cut();
    await release();
    expect(await lookUp('not_found')).toMatchObject({ reason: 'status_not_settled', disproves: false });
  });

  it('also when that was a repeat of one that had settled', async () => {
    const first = await begin({ status: STATUS });
    await finish(sql, first, 'server_error', { next: { state: 'retrying', reason: 'server_error', delayMs: 0 } });
    await back(10 * HOUR_MS);
    const [second] = await claim(sql);
    if (second === undefined) throw new Error('not claimed');
    await finish(sql, second, 'server_error', { next: { state: 'retrying', reason: 'server_error', delayMs: 0 } });
    await cut();
    await release();
    expect(await lookUp('not_found')).toMatchObject({ reason: 'status_not_settled', disproves: false });
  });

  it('and not after one that said it was not taken up', async () => {
    const first = await begin({ status: STATUS });
    await finish(sql, first, 'server_error', { next: { state: 'retrying', reason: 'server_error', delayMs: 0 } });
    await back(61_000);
    const [second] = await claim(sql);
    if (second === undefined) throw new Error('not claimed');
    await finish(sql, second, 'refused');
    await cut();
    await release();
    expect(await lookUp('not_found')).toMatchObject({ reason: 'status_not_found', disproves: true });
  });

  it('and nothing is unknown of what was never sent', async () => {
    await sql`update gate set state = 'held'`;
    const id = await hand(sql, { repeat: 'deduplicated', status: STATUS });
    await release();
    const [row] = await sql`select unknown_since from callback where id = ${id}`;
    expect(row).toEqual({ unknownSince: null });
  });
});
