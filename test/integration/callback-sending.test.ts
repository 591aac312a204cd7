import { randomUUID } from 'node:crypto';
import {
  type CreatedCallback,
  connect,
  createCallback,
  endRelease,
  listExpiredLeases,
  type NewCallback,
  readCallback,
  readGates,
  reconcileOpenGates,
  type Sql,
} from '@tidegate/store';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { claim, finish, hand, newCallback } from '../support/plant-callbacks.ts';
import { deliver, type PlantedService, plantService } from '../support/plant-service.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
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
  await sql`truncate callback, attempt, ramp, circuit`;
  await setGate('open');
});

async function setGate(state: 'open' | 'held' | 'verifying' | 'releasing'): Promise<void> {
  await sql`update gate set state = ${state}, reason = 'verified'`;
}

async function stateOf(id: string): Promise<string | undefined> {
  return (await readCallback(sql, id, null))?.state;
}

describe('sending callbacks', () => {
  it(verifies('I7', 'never claims one whose gate is not open, whatever state it was queued in'), async () => {
    const id = await hand(sql);
    for (const state of ['held', 'verifying'] as const) {
      await setGate(state);
      await sql`update callback set state = 'queued', due_at = clock_timestamp()`;
      expect(await claim(sql)).toEqual([]);
      expect(await stateOf(id)).toBe('held');
    }
  });

  it(verifies('I7', 'holds one handed over while the gate is held until an opening queues it'), async () => {
    await setGate('held');
    const id = await hand(sql);
    expect(await stateOf(id)).toBe('held');
    await setGate('open');
    expect(await claim(sql)).toEqual([]);
  });

  it(
    verifies('I7', 'is stopped by a Disconnected that commits before the claim, and never claimed after it'),
    async () => {
      for (let round = 0; round < 20; round += 1) {
        await setGate('open');
        const id = await hand(sql);
        const [, claimed] = await Promise.all([deliver(sql, planted, { status: 'disconnected' }), claim(sql)]);
        const [gate] = await readGates(sql, ['agent'], 5000);
        expect(gate?.state).toBe('held');
        // Claimed means: before the Disconnected committed, so under the generation before it.
        for (const callback of claimed) expect(callback.generation).toBe((gate?.generation ?? 0) - 1);
        expect(await claim(sql)).toEqual([]);
        expect(['held', 'sending']).toContain(await stateOf(id));
        await sql`truncate callback, attempt, ramp, circuit`;
      }
    },
  );

  it('is claimed once by workers that race, with its attempt row committed', async () => {
    await hand(sql);
    const claims = await Promise.all([1, 2, 3, 4].map(() => claim(sql)));
    expect(claims.flat()).toHaveLength(1);
    expect(await sql`select number, finished_at from attempt`).toEqual([{ number: 1, finishedAt: null }]);
  });

  it(verifies('I7', 'treats an expired lease as unknown, and fences the worker that comes back late'), async () => {
    const id = await hand(sql);
    const [claimed] = await claim(sql, 10, 0);
    const [lease] = await listExpiredLeases(sql, 10);
    expect(lease).toMatchObject({ id, attempt: 1, repeat: 'forbidden' });
    if (claimed === undefined || lease === undefined) throw new Error('nothing was claimed');
    await finish(sql, lease, 'lease_expired');
    const late = await finish(sql, claimed, 'delivered');
    expect(late.fenced).toBe(true);
    expect(await stateOf(id)).toBe('ambiguous');
  });

  it(verifies('I9', 'counts attempts and elapsed time in Postgres, so that a restart resets neither'), async () => {
    const id = await hand(sql);
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      const [claimed] = await claim(sql);
      expect(claimed).toMatchObject({ id, attempt });
      // Counted from the first attempt: what a gate held for a day has not been tried for a day.
      expect(claimed?.elapsedMs).toBeGreaterThanOrEqual(attempt === 1 ? 0 : 3_600_000);
      await sql`update attempt set started_at = started_at - interval '1 hour'`;
      if (claimed !== undefined) await finish(sql, claimed, 'not_sent');
    }
  });

  it(
    verifies('I8', 'makes one row of any number of concurrent copies, and refuses another payload under the same key'),
    async () => {
      const keyHash = Buffer.from(randomUUID());
      const answers = await Promise.all(
        Array.from({ length: 30 }, () => createCallback(sql, newCallback({ keyHash }))),
      );
      const kinds = answers.map((answer: CreatedCallback) => answer.kind);
      expect(kinds.filter((kind) => kind === 'created')).toHaveLength(1);
      expect(kinds.filter((kind) => !['created', 'replayed', 'in_flight'].includes(kind))).toEqual([]);
      expect(await createCallback(sql, newCallback({ keyHash }))).toMatchObject({ kind: 'replayed' });
      expect(await createCallback(sql, newCallback({ keyHash, payloadHash: Buffer.from('another') }))).toEqual({
        kind: 'payload_differs',
      });
      expect(await sql`select count(*)::int as count from callback`).toEqual([{ count: 1 }]);
    },
  );

  it('takes services by turns, so that the backlog of one does not starve another', async () => {
    await sql`insert into service (name, source_name, group_name, policy_name, open_after_ms, max_wait_ms, verify_every_ms, probe_hash)
              values ('other', 's', 'g', 'default', 1, 1, 1, '') on conflict do nothing`;
    await sql`insert into gate (service_id, state) select id, 'open' from service where name = 'other' on conflict (service_id) do update set state = 'open'`;
    for (let index = 0; index < 20; index += 1) await hand(sql);
    const other = await hand(sql, { service: 'other' });
    const claimed = await claim(sql, 4);
    expect(claimed.map((callback) => callback.id)).toContain(other);
    expect(claimed).toHaveLength(4);
    await sql`truncate callback, attempt, ramp, circuit`;
    await sql`delete from gate where service_id <> ${planted.serviceId}`;
  });

  it(verifies('I7', 'remembers an attempt that may have been received, whatever the later ones say'), async () => {
    await hand(sql, { repeat: 'deduplicated' });
    const [first] = await claim(sql);
    expect(first?.maybeReceived).toBe(false);
    if (first !== undefined) await finish(sql, first, 'unknown');
    expect(await reconcileOpenGates(sql)).toBe(1);
    const [second] = await claim(sql);
    expect(second?.maybeReceived).toBe(true);
  });

  describe('a release', () => {
    async function release(count: number, change: Partial<NewCallback> = {}): Promise<void> {
      await setGate('held');
      for (let index = 0; index < count; index += 1) await hand(sql, { repeat: 'deduplicated', ...change });
      await setGate('releasing');
      await reconcileOpenGates(sql);
    }

    it('ends once nothing held before is left to send', async () => {
      await release(1);
      expect(await endRelease(sql)).toEqual([]);
      const [claimed] = await claim(sql);
      expect(await endRelease(sql)).toEqual([]);
      if (claimed !== undefined) await finish(sql, claimed, 'delivered');
      expect(await endRelease(sql)).toEqual(['agent']);
      expect((await readGates(sql, ['agent'], 5000))[0]?.state).toBe('open');
    });

    it('does not end while something is held that nobody has sorted', async () => {
      await setGate('held');
      await hand(sql);
      await setGate('releasing');
      expect(await endRelease(sql)).toEqual([]);
    });

    it.each([
      ['by itself', null],
      ['with others behind it', Buffer.from('k')],
    ])('ends although a retry is far away, %s', async (_name, orderingHash) => {
      await release(orderingHash === null ? 1 : 3, { orderingHash });
      const next = { state: 'retrying', reason: 'try_later', delayMs: 23 * 3_600_000 } as const;
      for (const claimed of await claim(sql)) await finish(sql, claimed, 'refused', { next });
      expect(await endRelease(sql)).toEqual(['agent']);
    });

    it('waits for nothing that was handed over since', async () => {
      await release(1);
      for (const claimed of await claim(sql)) await finish(sql, claimed, 'delivered');
      await hand(sql);
      const [sending] = await claim(sql);
      expect(sending).toBeDefined();
      await hand(sql);
      expect(await endRelease(sql)).toEqual(['agent']);
    });
  });
});
