import { randomUUID } from 'node:crypto';
import {
  type CreatedCallback,
  claimCallbacks,
  connect,
  createCallback,
  endRelease,
  finishAttempt,
  listExpiredLeases,
  type NewCallback,
  readCallback,
  readGates,
  type Sql,
} from '@tidegate/store';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { deliver, type PlantedService, plantService } from '../support/plant-service.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { until } from '../support/until.ts';
import { verifies } from '../support/verifies.ts';

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
  await sql`truncate callback, attempt`;
  await setGate('open');
});

const LEASE_MS = 60_000;

async function setGate(state: 'open' | 'held' | 'verifying' | 'releasing'): Promise<void> {
  await sql`update gate set state = ${state}, reason = 'verified'`;
}

function newCallback(key = randomUUID(), payload = 'payload'): NewCallback {
  return {
    id: `cb_${randomUUID().slice(0, 8)}`,
    service: 'agent',
    keyHash: Buffer.from(key),
    payloadHash: Buffer.from(payload),
    method: 'POST',
    origin: 'https://receiver.example',
    safety: 'unsafe',
    repeat: 'forbidden',
    sealedUrl: Buffer.from('sealed'),
    sealedHeaders: Buffer.from('sealed'),
    sealedBody: null,
    sealedIdempotencyKey: Buffer.from('sealed'),
    deadlineAt: null,
  };
}

async function hand(callback = newCallback()): Promise<string> {
  const created = await createCallback(sql, callback);
  if (created.kind !== 'created') throw new Error(created.kind);
  return created.id;
}

async function stateOf(id: string): Promise<string | undefined> {
  return (await readCallback(sql, id, null))?.state;
}

const DELIVERED = {
  phase: 'answered',
  status: 200,
  reason: 'answered',
  latencyMs: 1,
  next: { state: 'delivered', reason: 'accepted' },
} as const;

describe('sending callbacks', () => {
  it(verifies('I7', 'never claims one whose gate is not open, whatever state it was queued in'), async () => {
    const id = await hand();
    for (const state of ['held', 'verifying'] as const) {
      await setGate(state);
      await sql`update callback set state = 'queued', due_at = clock_timestamp()`;
      expect(await claimCallbacks(sql, { limit: 10, leaseMs: LEASE_MS, silentAfterMs: 5000 })).toEqual([]);
      expect(await stateOf(id)).toBe('held');
    }
  });

  it(verifies('I7', 'holds one handed over while the gate is held until an opening queues it'), async () => {
    await setGate('held');
    const id = await hand();
    expect(await stateOf(id)).toBe('held');
    await setGate('open');
    expect(await claimCallbacks(sql, { limit: 10, leaseMs: LEASE_MS, silentAfterMs: 5000 })).toEqual([]);
  });

  it(
    verifies('I7', 'is stopped by a Disconnected that commits before the claim, and never claimed after it'),
    async () => {
      for (let round = 0; round < 20; round += 1) {
        await setGate('open');
        const id = await hand();
        const [, claimed] = await Promise.all([
          deliver(sql, planted, { status: 'disconnected' }),
          claimCallbacks(sql, { limit: 10, leaseMs: LEASE_MS, silentAfterMs: 5000 }),
        ]);
        const [gate] = await readGates(sql, ['agent'], 5000);
        expect(gate?.state).toBe('held');
        // Claimed means: before the Disconnected committed, so under the generation before it.
        for (const callback of claimed) expect(callback.generation).toBe((gate?.generation ?? 0) - 1);
        expect(await claimCallbacks(sql, { limit: 10, leaseMs: LEASE_MS, silentAfterMs: 5000 })).toEqual([]);
        expect(['held', 'sending']).toContain(await stateOf(id));
        await sql`truncate callback, attempt`;
      }
    },
  );

  it('is claimed once by workers that race, with its attempt row committed', async () => {
    await hand();
    const claims = await Promise.all(
      [1, 2, 3, 4].map(() => claimCallbacks(sql, { limit: 10, leaseMs: LEASE_MS, silentAfterMs: 5000 })),
    );
    expect(claims.flat()).toHaveLength(1);
    expect(await sql`select number, finished_at from attempt`).toEqual([{ number: 1, finishedAt: null }]);
  });

  it(verifies('I7', 'treats an expired lease as unknown, and fences the worker that comes back late'), async () => {
    const id = await hand();
    const [claimed] = await claimCallbacks(sql, { limit: 10, leaseMs: 0, silentAfterMs: 5000 });
    const [lease] = await listExpiredLeases(sql, 10);
    expect(lease).toMatchObject({ callbackId: id, attempt: 1, repeat: 'forbidden' });
    const unknown = { phase: 'maybe_received', status: null, reason: 'lease_expired', latencyMs: null } as const;
    await finishAttempt(sql, {
      callbackId: id,
      attempt: 1,
      ...unknown,
      next: { state: 'needs_review', reason: 'outcome_unknown' },
    });
    const late = await finishAttempt(sql, { callbackId: id, attempt: claimed?.attempt ?? 0, ...DELIVERED });
    expect(late.fenced).toBe(true);
    expect(await stateOf(id)).toBe('needs_review');
  });

  it(verifies('I9', 'counts attempts and elapsed time in Postgres, so that a restart resets neither'), async () => {
    const id = await hand();
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      const [claimed] = await claimCallbacks(sql, { limit: 10, leaseMs: LEASE_MS, silentAfterMs: 5000 });
      expect(claimed).toMatchObject({ id, attempt });
      // Counted from the first attempt: what a gate held for a day has not been tried for a day.
      expect(claimed?.elapsedMs).toBeGreaterThanOrEqual(attempt === 1 ? 0 : 3_600_000);
      await sql`update attempt set started_at = started_at - interval '1 hour'`;
      await finishAttempt(sql, {
        callbackId: id,
        attempt,
        phase: 'not_sent',
        status: null,
        reason: 'refused',
        latencyMs: 1,
        next: { state: 'retrying', reason: 'not_sent', delayMs: 0 },
      });
    }
  });

  it(
    verifies('I8', 'makes one row of any number of concurrent copies, and refuses another payload under the same key'),
    async () => {
      const key = randomUUID();
      const answers = await Promise.all(Array.from({ length: 30 }, () => createCallback(sql, newCallback(key))));
      const kinds = answers.map((answer: CreatedCallback) => answer.kind).sort();
      expect(kinds).toEqual(['created', ...Array.from({ length: 29 }, () => 'replayed')]);
      expect(await createCallback(sql, newCallback(key, 'another payload'))).toEqual({ kind: 'payload_differs' });
      expect(await sql`select count(*)::int as count from callback`).toEqual([{ count: 1 }]);
    },
  );

  it('takes services by turns, so that the backlog of one does not starve another', async () => {
    await sql`insert into service (name, source_name, group_name, policy_name, open_after_ms, max_wait_ms, verify_every_ms, probe_hash)
              values ('other', 's', 'g', 'default', 1, 1, 1, '') on conflict do nothing`;
    await sql`insert into gate (service_id, state) select id, 'open' from service where name = 'other' on conflict (service_id) do update set state = 'open'`;
    for (let index = 0; index < 20; index += 1) await hand();
    const other = await hand({ ...newCallback(), service: 'other' });
    const claimed = await claimCallbacks(sql, { limit: 4, leaseMs: LEASE_MS, silentAfterMs: 5000 });
    expect(claimed.map((callback) => callback.id)).toContain(other);
    expect(claimed).toHaveLength(4);
    await sql`truncate callback, attempt`;
    await sql`delete from gate where service_id <> ${planted.serviceId}`;
  });

  it(verifies('I7', 'remembers an attempt that may have been received, whatever the later ones say'), async () => {
    const id = await hand();
    const [first] = await claimCallbacks(sql, { limit: 10, leaseMs: LEASE_MS, silentAfterMs: 5000 });
    expect(first?.maybeReceived).toBe(false);
    const next = { state: 'retrying', reason: 'outcome_unknown', delayMs: 0 } as const;
    await finishAttempt(sql, {
      callbackId: id,
      attempt: 1,
      phase: 'maybe_received',
      status: null,
      reason: 'reset',
      latencyMs: 1,
      next,
    });
    const [second] = await claimCallbacks(sql, { limit: 10, leaseMs: LEASE_MS, silentAfterMs: 5000 });
    expect(second?.maybeReceived).toBe(true);
  });

  it('ends a release once nothing held before is left to send', async () => {
    const id = await hand();
    await setGate('releasing');
    expect(await endRelease(sql)).toEqual([]);
    await claimCallbacks(sql, { limit: 10, leaseMs: LEASE_MS, silentAfterMs: 5000 });
    await finishAttempt(sql, { callbackId: id, attempt: 1, ...DELIVERED });
    expect(await endRelease(sql)).toEqual(['agent']);
    expect((await readGates(sql, ['agent'], 5000))[0]?.state).toBe('open');
  });

  it(verifies('I2', 'lets no hand-over and no sending overtake a Disconnected that waits for the gate'), async () => {
    const waiting = (count: number) =>
      until(
        `${count} wait for the gate`,
        () => sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        (rows) => rows.length >= count,
      );
    const earlier = await hand();
    let cut: Promise<unknown> = Promise.resolve();
    let handed = Promise.resolve('');
    let claimed: Promise<unknown[]> = Promise.resolve([]);
    await sql.begin(async (tx) => {
      await tx`select 1 from gate for share`;
      cut = deliver(sql, planted, { status: 'disconnected' });
      await waiting(1);
      handed = hand();
      claimed = claimCallbacks(sql, { limit: 10, leaseMs: LEASE_MS, silentAfterMs: 5000 });
      await waiting(3);
    });
    await cut;
    expect(await claimed).toEqual([]);
    expect([await stateOf(earlier), await stateOf(await handed)]).toEqual(['held', 'held']);
  });
});
