import { randomUUID } from 'node:crypto';
import { holdsLease, isLeaseLost, type StoredLease } from '@tidegate/core';
import {
  type ClaimedCallback,
  connect,
  finishAttempts,
  type HeldLease,
  listExpiredLeases,
  readCallback,
  renewLeases,
  type Sql,
} from '@tidegate/store';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { claim, finish, hand } from '../support/plant-callbacks.ts';
import { plantService } from '../support/plant-service.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { verifies } from '../support/verifies.ts';

const LEASE_MS = 60_000;
let database: TestDatabase;
let sql: Sql;

beforeAll(async () => {
  database = await createTestDatabase();
  sql = connect(database.url, { application: 'test', connections: 6 });
  await plantService(sql, 'agent');
});
afterAll(async () => {
  await sql.end();
  await database.drop();
});
beforeEach(async () => {
  await sql`truncate callback, attempt, ramp, circuit`;
  await sql`update gate set state = 'open', reason = 'verified'`;
});

/** One that is being sent. */
async function begin(): Promise<ClaimedCallback> {
  await hand(sql, { repeat: 'deduplicated' });
  const [claimed] = await claim(sql, 1, LEASE_MS);
  if (claimed === undefined) throw new Error('nothing was claimed');
  return claimed;
}

const leaseOf = ({ id, attempt, generation, leaseToken }: ClaimedCallback): HeldLease => ({
  callbackId: id,
  attempt,
  generation,
  leaseToken,
});
const stateOf = async (id: string) => (await readCallback(sql, id, null))?.state;
/** The lease of every attempt under way has this long left. */
const leave = (leftMs: number) =>
  sql`update attempt set lease_until = clock_timestamp() + ${leftMs} * interval '1 millisecond' where finished_at is null`;

describe('a lease', () => {
  it('is renewed from now on while it runs, many in one statement', async () => {
    const many = [await begin(), await begin(), await begin()];
    await leave(5000);
    expect(await renewLeases(sql, many.map(leaseOf), LEASE_MS)).toEqual({ renewed: [0, 1, 2], lost: [] });
    const rows = await sql<{ left: boolean }[]>`
      select lease_until > clock_timestamp() + interval '50 seconds' as left from attempt`;
    expect(rows.map(({ left }) => left)).toEqual([true, true, true]);
    expect(await listExpiredLeases(sql, 10)).toEqual([]);
  });

  it(verifies('I7', 'that has run out is not renewed, though nobody has noticed yet'), async () => {
    const one = await begin();
    await leave(0);
    expect(await renewLeases(sql, [leaseOf(one)], LEASE_MS)).toEqual({ renewed: [], lost: [0] });
    expect(await listExpiredLeases(sql, 10)).toMatchObject([{ id: one.id, attempt: 1, leaseToken: one.leaseToken }]);
  });

  it('that is being ended is neither renewed nor lost, and nobody waits for it', async () => {
    const [busy, free] = [await begin(), await begin()];
    await sql.begin(async (tx) => {
      await tx`select 1 from attempt where callback_id = ${busy.id} for no key update`;
      expect(await renewLeases(sql, [busy, free].map(leaseOf), LEASE_MS)).toEqual({ renewed: [1], lost: [] });
    });
  });
});

describe(verifies('I7', 'a worker that comes back after its lease'), () => {
  it('writes down nothing, neither before nor after somebody ended its attempt', async () => {
    const late = await begin();
    await leave(0);
    expect(await finish(sql, late, 'delivered')).toMatchObject({ fenced: true });
    expect(await stateOf(late.id)).toBe('sending');
    const [dead] = await listExpiredLeases(sql, 10);
    expect(await finish(sql, dead ?? late, 'lease_expired')).toMatchObject({ fenced: false });
    expect(await finish(sql, late, 'delivered')).toMatchObject({ fenced: true });
    expect(await finish(sql, late, 'not_sent')).toMatchObject({ fenced: true });
    expect(await stateOf(late.id)).toBe('ambiguous');
    expect(await sql`select phase, reason, status from attempt`).toEqual([
      { phase: 'maybe_received', reason: 'lease_expired', status: null },
    ]);
  });

  it('has no part in the attempt that was begun meanwhile', async () => {
    const late = await begin();
    await finish(sql, late, 'lease_expired', { next: { state: 'retrying', reason: 'x', delayMs: 0 } });
    const [again] = await claim(sql, 1, LEASE_MS);
    expect(again?.attempt).toBe(2);
    expect(await renewLeases(sql, [leaseOf(late)], LEASE_MS)).toEqual({ renewed: [], lost: [0] });
    expect(await finish(sql, late, 'delivered')).toMatchObject({ fenced: true });
    expect(await finish(sql, { ...late, attempt: 2 }, 'delivered')).toMatchObject({ fenced: true });
    expect(await stateOf(late.id)).toBe('sending');
  });

  it('is not overtaken while its lease runs, also when it has just been renewed', async () => {
    const one = await begin();
    await leave(0);
    const [dead] = await listExpiredLeases(sql, 10);
    await leave(LEASE_MS);
    const end = { ...one, callbackId: one.id, phase: 'maybe_received', reason: 'lease_expired', status: null } as const;
    const next = { state: 'ambiguous', reason: 'outcome_unknown', delayMs: 0 } as const;
    const policy = () => ({ canary: 1, maxPerSecond: 1 });
    const [ended] = await finishAttempts(sql, [{ ...end, ...dead, lapsed: true, latencyMs: null, next }], policy);
    expect(ended).toMatchObject({ fenced: true });
    expect(await stateOf(one.id)).toBe('sending');
  });

  it('and whoever finds it over: of both ends in one batch exactly one counts', async () => {
    const one = await begin();
    const common = { ...one, callbackId: one.id, latencyMs: null, reason: 'answered' } as const;
    const delivered = { state: 'delivered', reason: 'accepted' } as const;
    const unknown = { state: 'ambiguous', reason: 'outcome_unknown', delayMs: 0 } as const;
    const policy = () => ({ canary: 1, maxPerSecond: 1 });
    const ends = [
      { ...common, phase: 'answered', status: 200, lapsed: false, next: delivered },
      { ...common, phase: 'maybe_received', status: null, lapsed: true, next: unknown },
    ] as const;
    await leave(0);
    expect((await finishAttempts(sql, ends, policy)).map(({ fenced }) => fenced)).toEqual([true, false]);
    expect(await stateOf(one.id)).toBe('ambiguous');
  });
});

it(verifies('I7', 'renewing and ending an attempt is what the pure rules say, whatever is stored'), async () => {
  const token = fc.constantFrom(randomUUID(), randomUUID());
  const generation = fc.constantFrom(3, 4);
  const one = fc.record({
    token,
    generation,
    leftMs: fc.constantFrom(-60_000, 0, 600_000),
    finished: fc.boolean(),
    asks: fc.record({ token, generation }),
    lapsed: fc.boolean(),
  });
  const begun = [await begin(), await begin(), await begin(), await begin()];
  await fc.assert(
    fc.asyncProperty(fc.array(one, { minLength: 4, maxLength: 4 }), async (rows) => {
      const nowMs = Date.now();
      const plant = async () => {
        for (const [index, row] of rows.entries()) {
          const id = begun[index]?.id ?? '';
          await sql`update callback set state = 'sending', finished_at = null where id = ${id}`;
          await sql`
            update attempt set lease_token = ${row.token}, generation = ${row.generation}, phase = null,
              lease_until = ${new Date(nowMs + row.leftMs)}, finished_at = ${row.finished ? new Date(nowMs) : null} where callback_id = ${id}`;
        }
      };
      const stored = rows.map((row): StoredLease => ({ ...row, untilMs: nowMs + row.leftMs }));
      const claims = rows.map(({ asks }, index) => ({
        ...(begun[index] as ClaimedCallback),
        callbackId: begun[index]?.id ?? '',
        generation: asks.generation,
        leaseToken: asks.token,
      }));
      const held = rows.map(({ asks }, index) => holdsLease(stored[index] as StoredLease, asks, nowMs));
      const lost = rows.map(({ asks }, index) => isLeaseLost(stored[index] as StoredLease, asks, nowMs));
      await plant();
      const renewed = await renewLeases(sql, claims, LEASE_MS);
      expect(renewed.renewed).toEqual([0, 1, 2, 3].filter((index) => held[index]));
      expect(renewed.lost).toEqual([0, 1, 2, 3].filter((index) => !held[index]));
      await plant();
      const next = { state: 'delivered', reason: 'accepted' } as const;
      const ends = claims.map((end, index) => ({
        ...{ ...end, lapsed: rows[index]?.lapsed ?? false, next },
        ...({ phase: 'answered', status: 200, reason: 'answered', latencyMs: 1 } as const),
      }));
      const ended = await finishAttempts(sql, ends, () => ({ canary: 1, maxPerSecond: 1 }));
      expect(ended.map(({ fenced }) => !fenced)).toEqual(
        rows.map(({ lapsed }, index) => (lapsed ? lost[index] : held[index])),
      );
    }),
    { numRuns: 40 },
  );
});
