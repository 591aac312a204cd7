import { randomUUID } from 'node:crypto';
import {
  claimPoll,
  connect,
  correlateDue,
  finishPoll,
  holdUnknown,
  listIncidents,
  readGates,
  readIncident,
  recordPoll,
  type Sql,
} from '@tidegate/store';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { passTime } from '../support/pass-time.ts';
import {
  clearCorrelation,
  everythingOf,
  type PlantedDevice,
  type PlantedFleet,
  plantFleet,
  report,
} from '../support/plant-fleet.ts';
import { POLICIES } from '../support/policies.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { verifies } from '../support/verifies.ts';
import { openByVerification, verifyService } from '../support/verify-service.ts';

const POLL_EVERY_MS = 60_000;
let database: TestDatabase;
let sql: Sql;
let fleet: PlantedFleet;
let device: PlantedDevice;

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
  fleet = await plantFleet(sql, { devices: 1, tunnels: 2 });
  device = fleet.devices[0]!;
});

const now = async () => (await sql<{ now: Date }[]>`select clock_timestamp() as now`)[0]?.now ?? new Date(0);

/** A poll begun now (or at `askedAt`) that lists the device and its tunnels so. */
async function poll(status: 'connected' | 'disconnected', askedAt?: Date) {
  const ids = [device.id, ...device.tunnels.map(({ id }) => id)];
  return recordPoll(
    sql,
    ids.map((subjectId) => ({ subjectId, status })),
    { askedAt: askedAt ?? (await now()), refreshMs: POLL_EVERY_MS, openAfterMs: 20_000, maxWaitMs: 120_000 },
  );
}

const tell = (status: 'connected' | 'disconnected') => report(sql, fleet, [{ subjectId: device.id, status }]);
const correlate = () => correlateDue(sql, 100, POLICIES, () => `inc_${randomUUID().slice(0, 8)}`);
const gate = async () => (await readGates(sql, [device.service ?? ''], 5000))[0];
const openIncidents = async () =>
  (await listIncidents(sql, { state: 'open', cursor: null, limit: 9, services: null })).items;

describe('what a poll finds', () => {
  it(verifies('I13', 'shuts the gate when a Disconnected was lost, and opens an incident that says so'), async () => {
    await tell('connected');
    await poll('connected');
    const before = await gate();
    expect(before?.state).toBe('open');
    const found = await poll('disconnected');
    expect(found).toEqual({ lost: 3, back: 0, shut: [device.service] });
    expect(await gate()).toMatchObject({
      state: 'held',
      reason: 'disconnected',
      generation: (before?.generation ?? 0) + 1,
    });
    await passTime(sql, 10_000);
    expect(await correlate()).toEqual([]);
    await passTime(sql, 10_000);
    await correlate();
    const [incident] = await openIncidents();
    expect(incident).toMatchObject({ kind: 'device', services: [device.service] });
    const { timeline = [] } = (await readIncident(sql, incident?.id ?? '', null)) ?? {};
    expect(timeline.find(({ event }) => event === 'incident.joined')?.why).toBe(
      `The device "${device.alias}" joined, because Localtonet lists it as offline, although no webhook said so.`,
    );
  });

  it(verifies('I6', 'vetoes a verification that is under way'), async () => {
    await sql`update gate set state = 'held', opened_by = null, opened_by_started_at = null`;
    await verifyService(sql, device.serviceId ?? 0);
    await poll('disconnected');
    const late = await verifyService(sql, device.serviceId ?? 0);
    expect(late.settlement).toMatchObject({ change: 'none', passes: 1 });
  });

  it('says it once: the same finding neither raises the generation again nor arms anything', async () => {
    await poll('disconnected');
    const before = await gate();
    await passTime(sql, POLL_EVERY_MS);
    await correlate();
    expect(await poll('disconnected')).toEqual({ lost: 0, back: 0, shut: [] });
    expect((await gate())?.generation).toBe(before?.generation);
    expect(await sql`select 1 from pending`).toHaveLength(0);
  });

  it('shuts a gate that was opened on older evidence, also when it is no news', async () => {
    await poll('disconnected');
    await openByVerification(sql, device.serviceId ?? 0);
    expect((await gate())?.state).toBe('open');
    expect(await poll('disconnected')).toMatchObject({ shut: [device.service] });
    expect((await gate())?.state).toBe('held');
  });

  it(
    verifies('I13', 'wakes verification when a Connected was lost, which then ends the incident and says so'),
    async () => {
      await tell('disconnected');
      await passTime(sql, 20_000);
      await correlate();
      const [incident] = await openIncidents();
      await verifyService(sql, device.serviceId ?? 0, 'device_offline');
      await sql`update gate set verify_due_at = clock_timestamp() + interval '25 seconds', verify_attempt = 9`;
      expect(await poll('connected')).toMatchObject({ lost: 0, back: 1 });
      const [row] = await sql<{ due: boolean; verifyAttempt: number }[]>`
      select verify_due_at <= clock_timestamp() as due, verify_attempt from gate`;
      expect(row).toEqual({ due: true, verifyAttempt: 0 });
      expect((await gate())?.state).toBe('held');
      const evidence = await openByVerification(sql, device.serviceId ?? 0);
      const ended = await readIncident(sql, incident?.id ?? '', null);
      expect(ended).toMatchObject({ state: 'resolved', resolvedBy: evidence });
      expect(ended?.timeline.at(-1)?.why).toContain('although the webhook about the reconnect is missing');
    },
  );

  it('says so as well when the Disconnected had been lost too, and only then', async () => {
    for (const heard of [false, true]) {
      await tell('connected');
      await passTime(sql, 60_000);
      await poll('disconnected');
      await passTime(sql, 20_000);
      await correlate();
      const [incident] = await openIncidents();
      if (heard) await report(sql, fleet, everythingOf(device, 'connected'));
      await openByVerification(sql, device.serviceId ?? 0);
      const { timeline = [] } = (await readIncident(sql, incident?.id ?? '', null)) ?? {};
      expect(timeline.at(-1)?.why.includes('the webhook about the reconnect is missing')).toBe(!heard);
      await passTime(sql, 900_000);
    }
  });

  it('makes a blip of a drop whose Connected was lost inside the debounce', async () => {
    await tell('disconnected');
    await passTime(sql, 5000);
    await poll('connected');
    await passTime(sql, 15_000);
    expect((await correlate()).map(({ decision }) => decision.decision)).toEqual(['blip']);
  });

  it('opens nothing for what a source watched that was taken away', async () => {
    await sql`update source set watch = 'all', retired_at = now()`;
    await sql`insert into source (name, group_name, time_zone, watch) values ('second', 'home-lab', 'UTC', 'linked')`;
    await sql`delete from dependency`;
    await sql`update service set retired_at = now()`;
    expect(await poll('disconnected')).toMatchObject({ lost: 3 });
    await passTime(sql, 20_000);
    expect(await correlate()).toEqual([]);
    expect(await openIncidents()).toEqual([]);
  });

  it('gives way to a webhook that came after it was begun, and holds against one that came before', async () => {
    const askedAt = await now();
    await tell('disconnected');
    expect(await poll('connected', askedAt)).toEqual({ lost: 0, back: 0, shut: [] });
    await passTime(sql, 20_000);
    await correlate();
    expect(await openIncidents()).toHaveLength(1);
    expect(await poll('connected')).toMatchObject({ back: 1 });
    expect(await poll('disconnected')).toMatchObject({ lost: 3 });
  });

  it('is written by ascending ids, in whatever order it is listed, over what others wrote meanwhile', async () => {
    const [first, middle, last] = [device.id, ...device.tunnels.map(({ id }) => id)].sort((a, b) => a - b) as [
      number,
      number,
      number,
    ];
    const settings = { askedAt: await now(), refreshMs: POLL_EVERY_MS, openAfterMs: 20_000, maxWaitMs: 120_000 };
    const findings = [last, middle, first].map((subjectId) => ({ subjectId, status: 'connected' as const }));
    const waiting = () =>
      sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    let polled: Promise<unknown> | null = null;
    await sql.begin(async (tx) => {
      await tx`update subject set name = 'renamed' where id = ${middle}`;
      polled = recordPoll(sql, findings, settings);
      await expect.poll(waiting).toHaveLength(1);
      expect(await sql`select id from subject order by id for update skip locked`).toEqual([{ id: last }]);
    });
    await polled;
    const rows = await sql`select name = 'renamed' as renamed, polled_status from subject order by id`;
    expect(rows).toEqual([false, true, false].map((renamed) => ({ renamed, polledStatus: 'connected' })));
  });

  it('is ignored when it is older than what a poll found before', async () => {
    const old = await now();
    await poll('disconnected');
    expect(await poll('connected', old)).toEqual({ lost: 0, back: 0, shut: [] });
    expect(await sql`select polled_status from subject where polled_status <> 'disconnected'`).toHaveLength(0);
  });

  it('leaves a gate alone that a person forced open, but voids what proved it', async () => {
    await sql`update gate set hand = 'open', reason = 'forced_open', hand_actor = 'ada', hand_reason = 'demo', hand_expires_at = now() + interval '1 hour'`;
    const before = await gate();
    expect(await poll('disconnected')).toMatchObject({ shut: [] });
    expect(await gate()).toMatchObject({ state: 'open', generation: (before?.generation ?? 0) + 1 });
  });

  it('of what nobody watches is shown and opens nothing', async () => {
    await sql`delete from dependency`;
    await poll('disconnected');
    expect(await sql`select 1 from pending`).toHaveLength(0);
  });

  it('is refreshed now and then when it says nothing new', async () => {
    await poll('connected');
    const written = () => sql`select polled_at::text from subject where id = ${device.id}`;
    const first = await written();
    await poll('connected');
    expect(await written()).toEqual(first);
    const stale = () => sql<{ id: number }[]>`
      select id from subject where confirmed_at < clock_timestamp() - interval '1 second' order by id`;
    await passTime(sql, POLL_EVERY_MS + 1000);
    await poll('connected');
    // What no gate waits for may be told of less often.
    const idle =
      await sql`select id from subject s where not exists (select 1 from dependency d where d.subject_id = s.id) order by id`;
    expect(idle).toHaveLength(1);
    expect(await stale()).toEqual(idle);
    await passTime(sql, 2 * 3_600_000);
    await poll('connected');
    expect(await stale()).toEqual([]);
  });

  it('is not written again and again for an outage that a service verifies', async () => {
    await poll('disconnected');
    await passTime(sql, 21_000);
    await correlate();
    expect(await openIncidents()).toHaveLength(1);
    const written = () => sql`select id, polled_at::text from subject order by id`;
    const first = await written();
    await poll('disconnected');
    expect(await written()).toEqual(first);
  });
});

describe('a subject nobody has spoken of', () => {
  it(verifies('I6', 'holds its gates under a new generation until a verification passes'), async () => {
    await poll('connected');
    await passTime(sql, 3 * POLL_EVERY_MS - 5000);
    expect(await holdUnknown(sql, 3 * POLL_EVERY_MS)).toEqual([]);
    const before = await gate();
    await passTime(sql, 6000);
    expect(await holdUnknown(sql, 3 * POLL_EVERY_MS)).toEqual([device.service]);
    expect(await gate()).toMatchObject({
      state: 'held',
      reason: 'unknown_subject',
      generation: (before?.generation ?? 0) + 1,
    });
    await openByVerification(sql, device.serviceId ?? 0);
    expect(await holdUnknown(sql, 3 * POLL_EVERY_MS)).toEqual([]);
    expect((await gate())?.state).toBe('open');
  });

  it('is known again by a webhook as by a poll', async () => {
    await passTime(sql, 4 * POLL_EVERY_MS);
    const [own] = device.tunnels;
    await report(sql, fleet, [
      { subjectId: device.id, status: 'connected' },
      { subjectId: own?.id ?? 0, status: 'connected' },
    ]);
    expect(await holdUnknown(sql, 3 * POLL_EVERY_MS)).toEqual([]);
  });

  it('does not hold a gate that a person forced open', async () => {
    await sql`update gate set hand = 'open', reason = 'forced_open', hand_actor = 'ada', hand_reason = 'demo', hand_expires_at = now() + interval '1 hour'`;
    await passTime(sql, 4 * POLL_EVERY_MS);
    expect(await holdUnknown(sql, 3 * POLL_EVERY_MS)).toEqual([]);
  });
});

describe('the turn to poll', () => {
  const claim = () => claimPoll(sql, `poll_${randomUUID().slice(0, 8)}`, 60_000);

  it('is one worker at a time, and the next when a poller died', async () => {
    const claims = await Promise.all([claim(), claim(), claim(), claim()]);
    expect(claims.filter((one) => one !== null)).toHaveLength(1);
    expect(await claim()).toBeNull();
    await passTime(sql, 60_000);
    const taken = await claim();
    expect(taken).not.toBeNull();
    // The one who lost it comes back late and changes nothing.
    const lost = claims.find((one) => one !== null)!;
    await finishPoll(sql, { poll: lost, answered: true, delayMs: 0, pauseMs: 0 });
    expect(await claim()).toBeNull();
  });

  it('comes when it is due, sooner when somebody asks, and never before it may', async () => {
    const first = (await claim())!;
    await finishPoll(sql, { poll: first, answered: true, delayMs: 60_000, pauseMs: 2000 });
    await sql`update poll set wanted_at = clock_timestamp()`;
    expect(await claim()).toBeNull();
    await passTime(sql, 2000);
    const wanted = await claim();
    expect(wanted?.failures).toBe(0);
    await finishPoll(sql, { poll: wanted!, answered: false, delayMs: 10_000, pauseMs: 10_000 });
    await passTime(sql, 9000);
    expect(await claim()).toBeNull();
    await passTime(sql, 1000);
    expect((await claim())?.failures).toBe(1);
  });

  it('comes at once for a token that API v2 was never asked about, and once only', async () => {
    const first = (await claim())!;
    await finishPoll(sql, { poll: first, answered: true, delayMs: 60_000, pauseMs: 0 });
    expect(await claim()).toBeNull();
    await sql`insert into subject (alias, type, group_name, fingerprint_version, fingerprint) values ('dev_new', 'device', 'home-lab', 1, 'new')`;
    const second = await claim();
    expect(second).not.toBeNull();
    await finishPoll(sql, { poll: second!, answered: true, delayMs: 60_000, pauseMs: 0 });
    expect(await claim()).toBeNull();
  });
});
