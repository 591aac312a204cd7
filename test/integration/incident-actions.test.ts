import { createHmac, randomUUID } from 'node:crypto';
import { canonicalJson, checkChain, LAYERS, type SafeName, type SignAudit, type Verdict } from '@tidegate/core';
import {
  acknowledgeIncident,
  claimVerifications,
  connect,
  correlateDue,
  endOverrides,
  finishVerification,
  listIncidents,
  noteIncident,
  readAuditAfter,
  readGates,
  readIncident,
  resolveIncident,
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
  await sql`truncate incident, incident_subject, incident_service, timeline_entry, pending, connectivity, observation, observation_key, delivery, verification,
              verification_layer`;
  await sql`update gate set state = 'held', reason = 'never_verified', generation = generation + 1, verify_due_at = clock_timestamp(),
              since = clock_timestamp(), opened_by = null, opened_by_started_at = null, passes = 0, verify_run = null`;
});

const ada = 'ada' as SafeName;
const sign: SignAudit = (row, previous) =>
  createHmac('sha256', 'invented')
    .update(canonicalJson({ ...row }))
    .update(previous ?? '')
    .digest();
const DEBOUNCE = { openAfterMs: 20_000, maxWaitMs: 120_000 };
const OVERRIDE = { reason: 'planned move' as SafeName, forMs: 3_600_000 };
const orderOf = (incident: string, services: string[] | null = null) => ({
  incident,
  actor: ada,
  keyId: 'key_1',
  services,
});
const resolve = (incident: string, override: typeof OVERRIDE | null, services: string[] | null = null) =>
  resolveIncident(sql, { ...orderOf(incident, services), override }, sign);

let seconds = 0;
/** Dates that grow by more than any clock in between, so that the newest report is the one delivered last. */
async function report(status: 'connected' | 'disconnected'): Promise<void> {
  seconds += 2;
  await deliver(sql, planted, { status, ticks: BigInt(Date.now() + seconds * 10) * 10_000n });
}

async function correlateNow(): Promise<void> {
  await sql`update pending set first_at = first_at - interval '1 hour', last_at = last_at - interval '1 hour', due_at = due_at - interval '1 hour'`;
  await correlateDue(sql, 10, POLICIES, () => `inc_${randomUUID().slice(0, 8)}`);
}

async function open(): Promise<{ id: string }[]> {
  return (await listIncidents(sql, { state: 'open', cursor: null, limit: 5, services: null })).items;
}

async function openIncident(): Promise<string> {
  await report('disconnected');
  await correlateNow();
  return (await open())[0]?.id ?? '';
}

async function verify(verdict: Verdict = 'healthy', required = 1): Promise<string> {
  await sql`update gate set verify_due_at = clock_timestamp()`;
  const [run] = await claimVerifications(sql, [`ver_${randomUUID().slice(0, 8)}`], 60_000);
  if (run === undefined) throw new Error('nothing was due');
  const layers = LAYERS.map((layer) => ({ layer, outcome: 'pass', reason: 'ok', latencyMs: 1, detail: 'x' }) as const);
  await finishVerification(
    sql,
    { run, layers, verdict, firstBroken: null, runbook: 'Do nothing.' },
    {
      requiredPasses: required,
      silentAfterMs: 5000,
      everyMs: 0,
      recheckEveryMs: 300_000,
      backoffMs: 0,
      openAfterMs: 0,
      patienceMs: 0,
      keptShutPatienceMs: 120_000,
      reopenWithinMs: 600_000,
      incidentId: `inc_${randomUUID().slice(0, 8)}`,
    },
  );
  return run.id;
}

async function lastRow() {
  const rows = await readAuditAfter(sql, 0, 1000);
  expect(checkChain(rows, null, sign)).toMatchObject({ kind: 'intact' });
  return { count: rows.length, ...rows.at(-1) };
}

describe('acknowledging', () => {
  it('is done by one person, and told in the timeline and the trail', async () => {
    const id = await openIncident();
    const answers = await Promise.all(Array.from({ length: 4 }, () => acknowledgeIncident(sql, orderOf(id), sign)));
    expect(answers.map(({ outcome }) => outcome.kind).sort()).toEqual([
      'acknowledged',
      'acknowledged_before',
      'acknowledged_before',
      'acknowledged_before',
    ]);
    const incident = await readIncident(sql, id, null);
    expect(incident?.state).toBe('acknowledged');
    expect(incident?.timeline.filter(({ event }) => event === 'incident.acknowledged')).toMatchObject([
      { why: 'Acknowledged by ada.' },
    ]);
    expect(await lastRow()).toMatchObject({
      action: 'incident.acknowledge',
      actor: 'ada',
      target: id,
      facts: { key: 'key_1' },
    });
  });

  it('of one that is over, unknown or not the actor’s to see changes nothing', async () => {
    const id = await openIncident();
    const { count } = await lastRow();
    const acknowledge = async (incident: string, services: string[] | null = null) =>
      (await acknowledgeIncident(sql, orderOf(incident, services), sign)).outcome.kind;
    expect(await acknowledge('inc_nobody')).toBe('not_found');
    expect(await acknowledge(id, ['other'])).toBe('not_found');
    await sql`insert into service (name, source_name, group_name, policy_name, open_after_ms, max_wait_ms, verify_every_ms, probe_hash)
              values ('other', 's', 'elsewhere', 'default', 1, 1, 1, 'x') on conflict do nothing`;
    await sql`insert into incident_service select ${id}, id from service where name = 'other'`;
    expect(await acknowledge(id, ['agent'])).toBe('not_all_services');
    await sql`update incident set state = 'resolved', resolved_by = 'ver_x'`;
    expect(await acknowledge(id)).toBe('resolved');
    expect((await lastRow()).count).toBe(count);
  });
});

describe('a note', () => {
  it('is kept in the timeline, also of an incident that is over', async () => {
    const id = await openIncident();
    await sql`update incident set state = 'resolved', resolved_by = 'ver_x'`;
    const note = 'the router was unplugged' as SafeName;
    expect((await noteIncident(sql, { ...orderOf(id), note }, sign)).outcome).toEqual({ kind: 'noted' });
    expect((await readIncident(sql, id, null))?.timeline.at(-1)).toMatchObject({
      why: 'Note by ada: the router was unplugged',
    });
    expect(await lastRow()).toMatchObject({ action: 'incident.note', reason: note });
  });
});

describe('resolving by hand', () => {
  it(
    verifies('I11', 'is refused while the group is disconnected, and while nothing has proved that it is back'),
    async () => {
      const id = await openIncident();
      expect((await resolve(id, null)).outcome).toMatchObject({ kind: 'refused', reason: 'still_disconnected' });
      await report('connected');
      expect((await resolve(id, null)).outcome).toMatchObject({ kind: 'refused', reason: 'not_verified' });
      await verify('healthy', 2);
      expect((await resolve(id, null)).outcome).toMatchObject({ kind: 'refused', reason: 'not_verified' });
      expect(await open()).toHaveLength(1);
    },
  );

  it('of what verification has proved names that verification', async () => {
    const id = await openIncident();
    await report('connected');
    const evidence = await verify();
    // As if it had flapped, which keeps it open although its gates stand open.
    await sql`update incident set state = 'acknowledged', resolved_by = null, resolved_at = null`;
    expect((await resolve(id, null)).outcome).toEqual({ kind: 'resolved', by: 'evidence', verification: evidence });
    expect(await readIncident(sql, id, null)).toMatchObject({ state: 'resolved', resolvedBy: evidence });
    expect((await resolve(id, OVERRIDE)).outcome).toMatchObject({ kind: 'refused', reason: 'already_resolved' });
    expect(await lastRow()).toMatchObject({ action: 'incident.resolve', facts: { verification: evidence } });
  });
});

describe('an override', () => {
  it(verifies('I11', 'ends an incident with a name, a reason and an expiry, and opens no gate'), async () => {
    const id = await openIncident();
    const { outcome } = await resolve(id, OVERRIDE);
    expect(outcome).toMatchObject({ kind: 'resolved', by: 'override', until: expect.any(Date) });
    expect((await readIncident(sql, id, null))?.timeline.at(-1)?.why).toContain('Ended by hand by ada');
    expect(await sql`select override_actor, override_reason from incident`).toEqual([
      { overrideActor: 'ada', overrideReason: 'planned move' },
    ]);
    expect(await readGates(sql, ['agent'], 5000)).toMatchObject([{ state: 'held' }]);
    expect(await lastRow()).toMatchObject({
      action: 'incident.override',
      reason: 'planned move',
      facts: { down: true },
    });
  });

  it('keeps the same outage from being told again until it expires; then what is still down is', async () => {
    const id = await openIncident();
    await resolve(id, OVERRIDE);
    await report('disconnected');
    await correlateNow();
    await verify('agent_down');
    expect(await open()).toEqual([]);
    expect(await endOverrides(sql, DEBOUNCE)).toEqual([]);
    await sql`update incident set override_expires_at = clock_timestamp()`;
    const ended = (await Promise.all([endOverrides(sql, DEBOUNCE), endOverrides(sql, DEBOUNCE)])).flat();
    expect(ended).toEqual([{ incident: id, regrouped: 1 }]);
    await correlateNow();
    expect(await open()).toHaveLength(1);
  });

  it('that is reopened leaves nothing behind that would let the incident end without evidence', async () => {
    const id = await openIncident();
    await resolve(id, OVERRIDE);
    await sql`update incident set override_expires_at = clock_timestamp()`;
    await endOverrides(sql, DEBOUNCE);
    await sql`update pending set first_at = clock_timestamp(), last_at = clock_timestamp() - interval '1 hour', due_at = clock_timestamp()`;
    await correlateDue(sql, 10, POLICIES, () => 'inc_unused');
    expect(await open()).toMatchObject([{ id, reopened: 1 }]);
    await expect(sql`update incident set state = 'resolved'`).rejects.toMatchObject({ code: '23514' });
  });

  it('ends early once everything is back, so that the next loss is told', async () => {
    const id = await openIncident();
    await resolve(id, OVERRIDE);
    await report('connected');
    expect(await endOverrides(sql, DEBOUNCE)).toEqual([]);
    await verify();
    expect(await endOverrides(sql, DEBOUNCE)).toEqual([{ incident: id, regrouped: 0 }]);
    await report('disconnected');
    await correlateNow();
    expect(await open()).toHaveLength(1);
  });

  it('of an application failure keeps the next failing verification from opening it again', async () => {
    await sql`update gate set since = clock_timestamp() - interval '1 hour'`;
    await verify('app_check_failed');
    const [incident] = await open();
    await resolve(incident?.id ?? '', OVERRIDE);
    await verify('app_check_failed');
    expect(await open()).toEqual([]);
    await sql`update incident set override_expires_at = clock_timestamp()`;
    await endOverrides(sql, DEBOUNCE);
    await verify('app_check_failed');
    expect(await open()).toHaveLength(1);
  });
});
