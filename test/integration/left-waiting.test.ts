import { createHmac } from 'node:crypto';
import { canonicalJson, type SafeName, type SignAudit } from '@tidegate/core';
import {
  applyServices,
  claimLookups,
  connect,
  expireCallbacks,
  expireHands,
  holdGate,
  nextDue,
  readCallback,
  readReleaseWork,
  reconcileOpenGates,
  releaseGate,
  type Sql,
} from '@tidegate/store';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { claim, finish, hand } from '../support/plant-callbacks.ts';
import { deliver, type PlantedService, plantService } from '../support/plant-service.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { verifies } from '../support/verifies.ts';
import { openByVerification } from '../support/verify-service.ts';

const HOUR_MS = 3_600_000;
const PASSING = { safety: 'safe', passesHeld: true } as const;

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
  await sql`update service set retired_at = null`;
  await sql`update gate set state = 'open', reason = 'verified', since = clock_timestamp(), hand = null, hand_actor = null,
            hand_reason = null, hand_expires_at = null`;
});

const sign: SignAudit = (row, previous) =>
  createHmac('sha256', 'invented')
    .update(canonicalJson({ ...row }))
    .update(previous ?? '')
    .digest();
const order = { service: 'agent', actor: 'ada' as SafeName, reason: 'moving house' as SafeName, keyId: null };
const cut = () => deliver(sql, planted, { status: 'disconnected' });
const read = (id: string) => readCallback(sql, id, null);

/** One whose outcome nobody knows, behind an open gate. */
async function unknown(change: Parameters<typeof hand>[1] = {}): Promise<string> {
  const id = await hand(sql, change);
  const [claimed] = await claim(sql);
  if (claimed !== undefined) await finish(sql, claimed, 'unknown');
  return id;
}

/** Time travel: its deadline has passed. */
const pass = (id: string) => sql`update callback set deadline_at = clock_timestamp() where id = ${id}`;

async function isDue(): Promise<boolean> {
  const { now, release } = await nextDue(sql);
  return release !== null && release <= now;
}

describe(verifies('I7', 'what nobody knows the outcome of'), () => {
  const deadlineAt = () => new Date(Date.now() + HOUR_MS);

  it('is before a person once its deadline has passed behind a shut gate', async () => {
    const id = await unknown({ deadlineAt: deadlineAt() });
    await cut();
    expect([await isDue(), (await readReleaseWork(sql)).expired]).toEqual([false, false]);
    await pass(id);
    expect([await isDue(), (await readReleaseWork(sql)).expired]).toEqual([true, true]);
    expect(await expireCallbacks(sql, 10)).toBe(1);
    expect(await read(id)).toMatchObject({ state: 'needs_review', reason: 'deadline_passed', finishedAt: null });
    expect([await isDue(), (await readReleaseWork(sql)).expired]).toEqual([false, false]);
  });

  it('is reconciled and asked for behind an open one, whatever its deadline', async () => {
    const status = { sealed: Buffer.from('sealed'), settleAfterMs: 0 };
    const id = await unknown({ deadlineAt: deadlineAt(), status });
    await pass(id);
    expect((await readReleaseWork(sql)).expired).toBe(false);
    expect(await expireCallbacks(sql, 10)).toBe(0);
    await reconcileOpenGates(sql);
    const lookups = () => claimLookups(sql, { limit: 9, leaseMs: HOUR_MS, silentAfterMs: 5000 });
    expect(await lookups()).toHaveLength(1);
    // The gate shuts while the destination is being asked: its answer still counts.
    await cut();
    expect(await expireCallbacks(sql, 10)).toBe(0);
    await sql`update callback set due_at = clock_timestamp() where id = ${id}`;
    expect(await lookups()).toEqual([]);
    expect(await expireCallbacks(sql, 10)).toBe(1);
    expect((await read(id))?.state).toBe('needs_review');
  });
});

describe('what passes a held gate', () => {
  beforeEach(async () => {
    await sql`update gate set state = 'held', reason = 'disconnected'`;
    await holdGate(sql, { ...order, forMs: HOUR_MS }, sign);
  });

  const caught = async () => {
    const id = await hand(sql, PASSING);
    const other = await hand(sql);
    expect([(await read(id))?.state, (await read(other))?.state]).toEqual(['held', 'held']);
    return [id, other] as const;
  };
  const expectLetGo = async ([id, other]: readonly [string, string]) => {
    expect((await claim(sql)).map((one) => one.id)).toEqual([id]);
    expect((await read(other))?.state).toBe('held');
  };

  it('goes on when a person lets go of the gate', async () => {
    const both = await caught();
    await releaseGate(sql, { ...order, reason: null }, sign);
    await expectLetGo(both);
  });

  it('goes on when the hold ends by itself', async () => {
    const both = await caught();
    await sql`update gate set hand_expires_at = clock_timestamp()`;
    expect(await expireHands(sql, sign)).toHaveLength(1);
    await expectLetGo(both);
  });

  it(verifies('I7', 'and is still not repeated where that could do harm'), async () => {
    await releaseGate(sql, { ...order, reason: null }, sign);
    const id = await unknown({ ...PASSING, repeat: 'forbidden' });
    // As if a retry had been caught by the hold.
    await sql`update callback set state = 'held' where id = ${id}`;
    await holdGate(sql, { ...order, forMs: HOUR_MS }, sign);
    await releaseGate(sql, { ...order, reason: null }, sign);
    expect(await claim(sql)).toEqual([]);
    expect((await read(id))?.state).toBe('needs_review');
  });
});

describe('what waits for a service that the config no longer names', () => {
  it('is before a person, whatever it waited for', async () => {
    const ambiguous = await unknown();
    await cut();
    const held = await hand(sql);
    const late = await hand(sql);
    await pass(late);
    expect((await readReleaseWork(sql)).expired).toBe(true);
    expect(await expireCallbacks(sql, 10)).toBe(1);
    await applyServices(sql, []);
    expect([await isDue(), (await readReleaseWork(sql)).expired]).toEqual([true, true]);
    expect(await expireCallbacks(sql, 10)).toBe(2);
    for (const id of [ambiguous, held]) {
      expect(await read(id)).toMatchObject({ state: 'needs_review', reason: 'service_removed', finishedAt: null });
    }
    expect((await read(late))?.state).toBe('expired');
    expect([await isDue(), (await readReleaseWork(sql)).expired]).toEqual([false, false]);
    // The service is back, and nothing of it goes without a person's word.
    await sql`update service set retired_at = null`;
    await openByVerification(sql, planted.serviceId);
    expect(await claim(sql)).toEqual([]);
  });
});
