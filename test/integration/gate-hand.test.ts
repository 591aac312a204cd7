import { createHmac, randomUUID } from 'node:crypto';
import { canonicalJson, checkChain, LAYERS, type SafeName, type SignAudit, type Verdict } from '@tidegate/core';
import {
  applyServices,
  claimVerifications,
  connect,
  correlateDue,
  expireHands,
  finishVerification,
  forceOpenGate,
  holdGate,
  listIncidents,
  readAuditAfter,
  readGates,
  readIncident,
  releaseGate,
  type Sql,
} from '@tidegate/store';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { deliver, type PlantedService, plantService } from '../support/plant-service.ts';
import { POLICIES } from '../support/policies.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { verifies } from '../support/verifies.ts';

let database: TestDatabase;
let sql: Sql;
let planted: PlantedService;

beforeAll(async () => {
  database = await createTestDatabase();
  sql = connect(database.url, { application: 'test' });
  planted = await plantService(sql, 'agent');
}, 60_000);
afterAll(async () => {
  await sql.end();
  await database.drop();
});
beforeEach(async () => {
  await releaseGate(sql, { service: 'agent', actor: ada, reason: null, keyId: null }, sign);
  await sql`update incident set state = 'resolved', resolved_by = 'ver_test', resolved_at = now() - interval '1 day'`;
  await sql`truncate callback, attempt, pending`;
});

const ada = 'ada' as SafeName;
const sign: SignAudit = (row, previous) =>
  createHmac('sha256', 'invented')
    .update(canonicalJson({ ...row }))
    .update(previous ?? '')
    .digest();
const order = { service: 'agent', actor: ada, reason: 'moving house' as SafeName, keyId: 'key_1', forMs: 60_000 };
const hold = () => holdGate(sql, order, sign);
const forceOpen = () => forceOpenGate(sql, order, sign);
const release = () => releaseGate(sql, { ...order, reason: null }, sign);

async function gate() {
  const [row] = await readGates(sql, ['agent'], 5000);
  if (row === undefined) throw new Error('no gate');
  return row;
}

async function claim() {
  await sql`update gate set verify_due_at = clock_timestamp() where verify_due_at is not null`;
  const [run] = await claimVerifications(sql, [`ver_${randomUUID().slice(0, 8)}`], 60_000);
  return run;
}

async function verify(verdict: Verdict = 'healthy', required = 1) {
  const run = await claim();
  if (run === undefined) throw new Error('nothing was due');
  return finish(run, verdict, required);
}

function finish(run: NonNullable<Awaited<ReturnType<typeof claim>>>, verdict: Verdict = 'healthy', required = 1) {
  const layers = LAYERS.map((layer) => ({ layer, outcome: 'pass', reason: 'ok', latencyMs: 1, detail: 'x' }) as const);
  return finishVerification(
    sql,
    { run, layers, verdict, firstBroken: null, runbook: 'Do nothing.' },
    {
      requiredPasses: required,
      silentAfterMs: 5000,
      everyMs: 0,
      recheckEveryMs: 300_000,
      backoffMs: 0,
      openAfterMs: 20_000,
      patienceMs: 20_000,
      keptShutPatienceMs: 120_000,
      reopenWithinMs: 600_000,
      incidentId: 'inc_unused',
    },
  );
}

async function openIncident(): Promise<string> {
  await deliver(sql, planted, { status: 'disconnected', ticks: BigInt(Date.now() + 1000) * 10_000n });
  await sql`update pending set first_at = first_at - interval '1 hour', last_at = last_at - interval '1 hour', due_at = due_at - interval '1 hour'`;
  await correlateDue(sql, 10, POLICIES, () => `inc_${randomUUID().slice(0, 8)}`);
  const [incident] = (await listIncidents(sql, { state: 'open', cursor: null, limit: 5, services: null })).items;
  return incident?.id ?? '';
}

async function plantCallback(id: string): Promise<void> {
  await sql`insert into callback (id, service_id, key_hash, payload_hash, state, method, origin, safety, repeat, sealed_url, sealed_headers,
              sealed_idempotency_key, created_at)
            values (${id}, ${planted.serviceId}, ${Buffer.from(id)}, 'p', 'held', 'POST', 'https://receiver.example', 'unsafe', 'forbidden',
              's', 's', 's', clock_timestamp())`;
}

async function trail() {
  const rows = await readAuditAfter(sql, 0, 1000);
  expect(checkChain(rows, null, sign)).toMatchObject({ kind: 'intact' });
  return rows;
}

describe('a gate held by hand', () => {
  it(verifies('I6', 'is not opened by a verification that began before, whichever commits first'), async () => {
    for (let round = 0; round < 10; round += 1) {
      await release();
      const run = await claim();
      if (run === undefined) throw new Error('nothing was due');
      await Promise.all(round % 2 === 0 ? [hold(), finish(run)] : [finish(run), hold()]);
      expect(await gate()).toMatchObject({ state: 'held', reason: 'held_by_hand' });
    }
  });

  it('is verified by nobody, and keeps its reason whatever is reported or changed', async () => {
    const before = (await gate()).generation;
    await hold();
    await deliver(sql, planted, { status: 'disconnected' });
    await deliver(sql, planted, { status: 'connected' });
    await sql`update service set probe_hash = 'other'`;
    await reapply();
    expect(await gate()).toMatchObject({ state: 'held', reason: 'held_by_hand', generation: before + 3 });
    expect(await claim()).toBeUndefined();
  });

  it('is told in the trail and in its incident, with who and why', async () => {
    const incident = await openIncident();
    const { outcome, head } = await hold();
    expect(outcome).toMatchObject({ kind: 'moved', state: 'held', expiresAt: expect.any(Date) });
    const row = (await trail()).at(-1);
    expect(row).toMatchObject({
      actor: 'ada',
      action: 'gate.hold',
      target: 'agent',
      reason: 'moving house',
      seq: head?.seq,
    });
    expect(row?.facts).toMatchObject({ key: 'key_1', until: expect.any(String), before: 'held' });
    expect((await readIncident(sql, incident, null))?.timeline.at(-1)).toMatchObject({
      event: 'gate.held_by_hand',
      why: 'The gate of agent was held by ada: moving house',
    });
  });
});

describe('a gate forced open', () => {
  it('stays open when a Disconnected arrives, under a new generation, and when a verification fails', async () => {
    const { outcome } = await forceOpen();
    expect(outcome).toMatchObject({ kind: 'moved', state: 'open', opens: true });
    const { generation, since } = await gate();
    const run = await claim();
    const { shut } = await deliver(sql, planted, { status: 'disconnected' });
    expect(shut).toEqual([]);
    expect(await gate()).toMatchObject({ state: 'open', reason: 'forced_open', generation: generation + 1, since });
    if (run === undefined) throw new Error('a gate forced open is still verified');
    expect((await finish(run)).settlement).toEqual({ kind: 'overtaken' });
    await verify('agent_down');
    await sql`update service set probe_hash = 'another'`;
    await reapply();
    expect(await gate()).toMatchObject({ state: 'open', reason: 'forced_open', generation: generation + 2 });
  });

  it('lets the callbacks go that waited for it', async () => {
    await plantCallback('cb_waiting');
    expect((await forceOpen()).outcome).toMatchObject({ state: 'releasing' });
    const [row] = await sql`select state, reason, due_at is not null as due from callback`;
    expect(row).toEqual({ state: 'queued', reason: 'gate_opened', due: true });
  });

  it(verifies('I11', 'ends no incident by itself, but passes under its generation are evidence'), async () => {
    const incident = await openIncident();
    await forceOpen();
    const state = async () => (await readIncident(sql, incident, null))?.state;
    await verify('healthy', 2);
    expect(await state()).toBe('open');
    await deliver(sql, planted, { status: 'disconnected', ticks: BigInt(Date.now() + 3000) * 10_000n });
    await verify('healthy', 2);
    expect(await state()).toBe('open');
    await verify('healthy', 2);
    expect(await state()).toBe('resolved');
    expect(await gate()).toMatchObject({ state: 'open', reason: 'forced_open' });
  });
});

describe('the end of a hand', () => {
  it('leaves the gate held, to be verified at once under a new generation', async () => {
    for (const start of [hold, forceOpen]) {
      await start();
      const { generation } = await gate();
      expect((await release()).outcome).toMatchObject({ kind: 'moved', state: 'held' });
      expect(await gate()).toMatchObject({ state: 'held', reason: 'hand_released', generation: generation + 1 });
      expect((await verify()).settlement).toMatchObject({ change: 'opened' });
      expect(await gate()).toMatchObject({ state: 'open', reason: 'verified' });
    }
  });

  it('comes by itself when its time is over, once, however many workers look, and has its row', async () => {
    await forceOpen();
    expect(await expireHands(sql, sign)).toEqual([]);
    await sql`update gate set hand_expires_at = clock_timestamp()`;
    const before = (await trail()).length;
    const seen = (await Promise.all(Array.from({ length: 5 }, () => expireHands(sql, sign)))).flat();
    expect(seen).toMatchObject([{ service: 'agent', state: 'held', shuts: true }]);
    expect((await trail()).slice(before)).toMatchObject([
      { actor: 'tidegate', action: 'gate.hand_expired', facts: { hand: 'open', of: 'ada' } },
    ]);
    expect(await gate()).toMatchObject({ state: 'held', reason: 'hand_released' });
  });

  it('does not come when a person prolonged it meanwhile', async () => {
    for (let round = 0; round < 8; round += 1) {
      await hold();
      await sql`update gate set hand_expires_at = clock_timestamp()`;
      await Promise.all([hold(), expireHands(sql, sign)]);
      expect(await gate()).toMatchObject({ reason: 'held_by_hand' });
      expect(await expireHands(sql, sign)).toEqual([]);
    }
  });

  it('asked for without a hand, or about no service, changes nothing and leaves no row', async () => {
    const before = (await trail()).length;
    const { generation } = await gate();
    expect(await release()).toEqual({ outcome: { kind: 'no_hand' }, head: null });
    const unknown = { ...order, service: 'nobody' };
    for (const move of [holdGate, forceOpenGate]) {
      expect(await move(sql, unknown, sign)).toEqual({ outcome: { kind: 'unknown_service' }, head: null });
    }
    expect((await gate()).generation).toBe(generation);
    expect(await trail()).toHaveLength(before);
  });

  it('comes with the service: one of that name that returns is held until it is verified', async () => {
    await forceOpen();
    await applyServices(sql, []);
    await reapply();
    expect(await gate()).toMatchObject({ state: 'held', reason: 'topology_changed' });
    expect(await sql`select hand from gate`).toEqual([{ hand: null }]);
  });
});

/** Applies the same service again, as a worker does that starts with a changed config. */
async function reapply(): Promise<void> {
  const [row] = await sql`select * from service where name = 'agent'`;
  if (row === undefined) throw new Error('no service');
  const [tunnel] = await sql`select * from subject where id = ${row.tunnelId}`;
  await applyServices(sql, [
    {
      name: 'agent',
      source: row.sourceName,
      group: row.groupName,
      deviceRef: row.deviceRef,
      tunnelRef: row.tunnelRef,
      tunnel: {
        group: row.groupName,
        type: 'tunnel',
        fingerprint: { version: 1, value: tunnel?.fingerprint },
        alias: tunnel?.alias,
        publicId: tunnel?.publicId,
        sealedId: null,
      },
      policyName: row.policyName,
      openAfterMs: row.openAfterMs,
      maxWaitMs: row.maxWaitMs,
      verifyEveryMs: row.verifyEveryMs,
      probeHash: 'planted',
    },
  ]);
}
