import { setTimeout as delay } from 'node:timers/promises';
import { type Gate, gateListSchema, gateSchema } from '@tidegate/client';
import type { SafeName } from '@tidegate/core';
import {
  beatReceiver,
  claimLookups,
  expectReceiver,
  forceOpenGate,
  listAudit,
  listReceivers,
  readGates,
  readIncident,
  reconcileOpenGates,
  retireLongSilent,
  retireReceiver,
  retireReceiverByHand,
} from '@tidegate/store';
import { auditSigner } from '@tidegate/vault';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { startTestApi, type TestApi } from '../../apps/api/test/start-test-api.ts';
import { claim, finish, hand } from '../support/plant-callbacks.ts';
import { type PlantedService, plantService } from '../support/plant-service.ts';
import { until } from '../support/until.ts';
import { verifies } from '../support/verifies.ts';
import { openByVerification, verifyService } from '../support/verify-service.ts';

const SILENT_AFTER_MS = 5000;
const HOUR_MS = 3_600_000;

let test: TestApi;
let sql: TestApi['sql'];
let planted: PlantedService;

beforeAll(async () => {
  test = await startTestApi();
  sql = test.sql;
  planted = await plantService(sql, 'agent');
  // Beats are planted in the past, and none from before the start of the server counts.
  await sql`select pg_sleep(greatest(0, 7 - extract(epoch from clock_timestamp() - pg_postmaster_start_time())))`;
}, 60_000);
beforeEach(async () => {
  await sql`truncate receiver, callback, attempt, ramp, circuit`;
  await sql`update gate set state = 'held', reason = 'disconnected', hand = null, hand_actor = null, hand_reason = null,
            hand_expires_at = null, generation = generation + 1, passes = 0, verify_run = null, opened_by = null`;
  await openByVerification(sql, planted.serviceId);
});
afterEach(() => vi.useRealTimers());

/** Beats, and then lets so much time pass for this receiver. */
async function silence(id: string, forMs: number): Promise<void> {
  await beatReceiver(sql, id);
  await sql`update receiver set heartbeat_at = clock_timestamp() - make_interval(secs => ${forMs} / 1000.0) where id = ${id}`;
}

async function gate(path = ''): Promise<Gate> {
  return gateSchema.parse(await (await test.call(`/v1/gates/agent${path}`)).json());
}

async function forceOpen(): Promise<void> {
  const order = { service: 'agent', actor: 'ada' as SafeName, reason: 'x' as SafeName, keyId: null, forMs: HOUR_MS };
  await forceOpenGate(sql, order, auditSigner(test.keyring));
}

describe('a gate that is asked about', () => {
  it('is not held by receivers where none is registered, or all are heard', async () => {
    expect(await gate()).toMatchObject({ decision: 'allowed', reason: 'verified' });
    await beatReceiver(sql, 'rcv_one');
    await beatReceiver(sql, 'rcv_two');
    expect(await gate()).toMatchObject({ decision: 'allowed', reason: 'verified' });
  });

  it(
    verifies('I2.heartbeat', 'is held while one receiver is silent, and stands as before once it is heard'),
    async () => {
      const before = await gate();
      await beatReceiver(sql, 'rcv_heard');
      await silence('rcv_lost', SILENT_AFTER_MS + 1);
      const held = await gate();
      expect(held).toMatchObject({
        ...before,
        decision: 'held',
        reason: 'receiver_silent',
        validUntil: expect.any(String),
      });
      expect(Date.parse(held.validUntil)).toBeLessThanOrEqual(Date.now());
      const list = gateListSchema.parse(await (await test.call('/v1/gates')).json());
      expect(list.items).toMatchObject([{ decision: 'held', reason: 'receiver_silent' }]);
      await beatReceiver(sql, 'rcv_lost');
      expect(await gate()).toMatchObject({ decision: 'allowed', generation: before.generation });
    },
  );

  it(verifies('I2.heartbeat', 'leases no more time than the receivers are known to be heard'), async () => {
    await silence('rcv_slow', SILENT_AFTER_MS - 1500);
    const { decision, validUntil } = await gate();
    const [row] = await sql<
      { silentAt: Date }[]
    >`select heartbeat_at + interval '5 seconds' as silent_at from receiver`;
    expect([decision, Date.parse(validUntil)]).toEqual(['allowed', row?.silentAt.getTime()]);
  });

  it(
    verifies('I2.heartbeat', 'is held by a receiver that is expected and has not beaten, retired before or not'),
    async () => {
      await expectReceiver(sql, 'rcv_one', SILENT_AFTER_MS);
      expect((await gate()).reason).toBe('receiver_silent');
      await beatReceiver(sql, 'rcv_one');
      await expectReceiver(sql, 'rcv_one', SILENT_AFTER_MS);
      expect((await gate()).decision).toBe('allowed');
      await retireReceiver(sql, 'rcv_one', 'self');
      expect((await gate()).decision).toBe('allowed');
      await expectReceiver(sql, 'rcv_one', SILENT_AFTER_MS);
      expect((await gate()).reason).toBe('receiver_silent');
    },
  );

  it(verifies('I2.heartbeat', 'is held until each receiver has beaten since Postgres was started'), async () => {
    const tenDaysMs = 240 * HOUR_MS;
    await beatReceiver(sql, 'rcv_one');
    const heardUntil = async () => (await readGates(sql, ['agent'], tenDaysMs))[0]?.heardUntil?.getTime() ?? 0;
    expect(await heardUntil()).toBeGreaterThan(Date.now() + HOUR_MS);
    await sql`update receiver set heartbeat_at = pg_postmaster_start_time() - interval '1 ms'`;
    expect(await heardUntil()).toBeLessThan(Date.now());
    expect(await listReceivers(sql, tenDaysMs)).toMatchObject([{ id: 'rcv_one', silent: true }]);
  });

  it('is judged by the clock of Postgres, whatever the clock of the api says', async () => {
    await beatReceiver(sql, 'rcv_one');
    const nowMs = Date.now();
    vi.useFakeTimers({ toFake: ['Date'], now: nowMs + HOUR_MS });
    expect((await gate()).decision).toBe('allowed');
    await silence('rcv_one', SILENT_AFTER_MS + 1);
    vi.setSystemTime(nowMs - HOUR_MS);
    expect((await gate()).decision).toBe('held');
  });

  it('tells who waits for it when a receiver falls silent, and when it is heard again', async () => {
    await silence('rcv_one', SILENT_AFTER_MS - 700);
    const { generation } = await gate();
    const held = await gate(`?wait=20s&generation=${generation}`);
    expect(held).toMatchObject({ decision: 'held', reason: 'receiver_silent', state: 'open', generation });
    // With the tag of what is known: a beat that comes before the question is asked is news too.
    const known = { 'if-none-match': `W/"${generation}.open.held"` };
    const again = test.call('/v1/gates/agent?wait=20s', { headers: known });
    await beatReceiver(sql, 'rcv_one');
    expect(gateSchema.parse(await (await again).json())).toMatchObject({ decision: 'allowed', generation });
  });

  it('is allowed all the same where a person forced it open, and says so', async () => {
    await forceOpen();
    await silence('rcv_one', SILENT_AFTER_MS + 1);
    expect(await gate()).toMatchObject({ decision: 'allowed', reason: 'forced_open' });
  });
});

describe('a verification', () => {
  async function shut(): Promise<void> {
    await sql`update gate set state = 'held', reason = 'disconnected', generation = generation + 1, passes = 0`;
    await sql`insert into incident (id, kind, group_id, opened_at, summary) values ('inc_a', 'tunnel', ${planted.tunnelId}, now(), 'Down.')`;
    await sql`insert into incident_service values ('inc_a', ${planted.serviceId})`;
  }

  it(
    verifies('I2.heartbeat', 'opens nothing and ends nothing while a receiver is silent, and is run again soon'),
    async () => {
      await shut();
      await silence('rcv_one', SILENT_AFTER_MS + 1);
      for (let pass = 0; pass < 4; pass += 1) {
        const finished = await verifyService(sql, planted.serviceId);
        expect(finished.settlement).toMatchObject({ kind: 'settled', change: 'none', state: 'held', proves: false });
        expect(finished).toMatchObject({ resolvedIncidents: [], openedIncident: null });
        expect(finished.nextDueAt?.getTime()).toBeLessThanOrEqual(Date.now() + 1000);
      }
      const [row] = await sql`select state, reason, verify_attempt from gate`;
      expect(row).toEqual({ state: 'held', reason: 'receiver_silent', verifyAttempt: 0 });
      const detail = await readIncident(sql, 'inc_a', null);
      // Two that counted towards the opening, one of them the last that was missing; those after it say nothing new.
      expect(detail?.timeline.map(({ event }) => event)).toEqual(['verification.passed', 'verification.passed']);
      await beatReceiver(sql, 'rcv_one');
      const opened = await verifyService(sql, planted.serviceId);
      expect(opened).toMatchObject({ settlement: { change: 'opened' }, resolvedIncidents: ['inc_a'] });
      expect((await gate()).decision).toBe('allowed');
    },
  );

  it('that fails meanwhile shuts an open gate as ever', async () => {
    await silence('rcv_one', SILENT_AFTER_MS + 1);
    const { settlement } = await verifyService(sql, planted.serviceId, 'agent_down');
    expect(settlement).toMatchObject({ change: 'shut', state: 'held' });
    await beatReceiver(sql, 'rcv_one');
    expect(await gate()).toMatchObject({ decision: 'held', reason: 'verification_failed' });
  });
});

describe('a callback', () => {
  it(
    verifies('I2.heartbeat', 'is not sent while a receiver is silent, stays queued, and goes once it is heard'),
    async () => {
      const id = await hand(sql);
      const passing = await hand(sql, { safety: 'safe', passesHeld: true });
      await silence('rcv_one', SILENT_AFTER_MS + 1);
      expect(await claim(sql)).toEqual([]);
      expect(await sql`select distinct state, attempts from callback`).toEqual([{ state: 'queued', attempts: 0 }]);
      await beatReceiver(sql, 'rcv_one');
      expect(await claim(sql)).toMatchObject([
        { id, attempt: 1 },
        { id: passing, attempt: 1 },
      ]);
    },
  );

  it('goes through a gate that is forced open, whoever is silent', async () => {
    await forceOpen();
    const id = await hand(sql);
    await silence('rcv_one', SILENT_AFTER_MS + 1);
    expect(await claim(sql)).toMatchObject([{ id }]);
  });

  const LOOKUPS = { limit: 10, leaseMs: 60_000, silentAfterMs: SILENT_AFTER_MS };

  async function handUnknown(): Promise<string> {
    const id = await hand(sql, { status: { sealed: Buffer.from('sealed'), settleAfterMs: 30_000 } });
    for (const callback of await claim(sql)) await finish(sql, callback, 'unknown');
    await reconcileOpenGates(sql);
    return id;
  }

  it(verifies('I2.heartbeat', 'is not asked for while a receiver is silent, and stays due'), async () => {
    const id = await handUnknown();
    await silence('rcv_one', SILENT_AFTER_MS + 1);
    expect(await claimLookups(sql, LOOKUPS)).toEqual([]);
    await beatReceiver(sql, 'rcv_one');
    expect(await claimLookups(sql, LOOKUPS)).toMatchObject([{ id, lookups: 1 }]);
  });

  it('is asked for behind a gate that is forced open, whoever is silent', async () => {
    await forceOpen();
    const id = await handUnknown();
    await silence('rcv_one', SILENT_AFTER_MS + 1);
    expect(await claimLookups(sql, LOOKUPS)).toMatchObject([{ id, lookups: 1 }]);
  });
});

describe('a receiver that is no longer waited for', () => {
  it(verifies('I2.heartbeat', 'leaves every gate held until it is verified anew, by one commit'), async () => {
    const before = await gate();
    await silence('rcv_one', SILENT_AFTER_MS + 1);
    let done = false;
    const decisions: string[] = [];
    const asking = [1, 2, 3].map(async () => {
      while (!done) decisions.push((await gate()).decision);
    });
    await until(
      'answers before',
      () => decisions.length,
      (answers) => answers > 5,
    );
    expect(await retireReceiver(sql, 'rcv_one', 'ada')).toBe(true);
    const told = decisions.length;
    await until(
      'answers after',
      () => decisions.length,
      (answers) => answers > told + 5,
    );
    done = true;
    await Promise.all(asking);
    expect(new Set(decisions)).toEqual(new Set(['held']));
    expect(await gate()).toMatchObject({ state: 'held', reason: 'receiver_silent', generation: before.generation + 1 });
    await openByVerification(sql, planted.serviceId);
    expect((await gate()).decision).toBe('allowed');
  });

  it('is retired by time only when that is over, and is waited for again when it comes back', async () => {
    const { generation } = await gate();
    await silence('rcv_one', HOUR_MS - 60_000);
    await beatReceiver(sql, 'rcv_two');
    expect(await retireLongSilent(sql, HOUR_MS)).toEqual([]);
    expect((await gate()).generation).toBe(generation);
    await silence('rcv_one', HOUR_MS + 1);
    const retired = await Promise.all([retireLongSilent(sql, HOUR_MS), retireLongSilent(sql, HOUR_MS)]);
    expect(retired.flat()).toEqual(['rcv_one']);
    expect((await gate()).generation).toBe(generation + 1);
    expect(await listReceivers(sql, SILENT_AFTER_MS)).toMatchObject([
      { id: 'rcv_two', silent: false, retiredAt: null },
      { id: 'rcv_one', silent: false, retiredAt: expect.any(Date), retiredBy: 'worker' },
    ]);
    await beatReceiver(sql, 'rcv_one');
    expect(await listReceivers(sql, SILENT_AFTER_MS)).toMatchObject([
      { id: 'rcv_two' },
      { id: 'rcv_one', retiredAt: null, retiredBy: null },
    ]);
  });

  it('that ends by itself with nothing kept back shuts nothing', async () => {
    const before = await gate();
    await beatReceiver(sql, 'rcv_one');
    expect(await retireReceiver(sql, 'rcv_one', 'self')).toBe(true);
    expect(await retireReceiver(sql, 'rcv_one', 'self')).toBe(false);
    expect(await retireReceiver(sql, 'rcv_nobody', 'self')).toBe(false);
    expect(await gate()).toMatchObject({ decision: 'allowed', generation: before.generation });
  });

  it('by a person leaves a row in the audit trail, and shuts the gates even if they are called self', async () => {
    await silence('rcv_one', SILENT_AFTER_MS + 1);
    const order = { id: 'rcv_one', actor: 'self' as SafeName, reason: 'its machine is gone' as SafeName };
    const { outcome, head } = await retireReceiverByHand(sql, order, auditSigner(test.keyring));
    expect([outcome, head]).toEqual([true, expect.anything()]);
    expect((await readGates(sql, ['agent'], SILENT_AFTER_MS))[0]).toMatchObject({ state: 'held', heardUntil: null });
    expect(await listAudit(sql, null, 1)).toMatchObject([
      { action: 'receiver.retire', target: 'rcv_one', actor: 'self', reason: 'its machine is gone' },
    ]);
    const again = await retireReceiverByHand(sql, order, auditSigner(test.keyring));
    expect(again).toEqual({ outcome: false, head: null });
  });
});

describe('a beat', () => {
  it(verifies('I2.heartbeat', 'that was long on its way counts for nothing when it arrives'), async () => {
    await silence('rcv_one', SILENT_AFTER_MS + 1);
    let beat = Promise.resolve<unknown>(undefined);
    await sql.begin(async (tx) => {
      await tx`select 1 from receiver for update`;
      beat = beatReceiver(sql, 'rcv_one').catch((error: unknown) => error);
      await delay(2200);
    });
    expect(await beat).toMatchObject({ code: 'store_unavailable', detail: 'late_beat' });
    expect((await gate()).reason).toBe('receiver_silent');
  });
});
