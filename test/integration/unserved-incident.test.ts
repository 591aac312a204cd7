import { randomUUID } from 'node:crypto';
import {
  connect,
  correlateDue,
  listIncidents,
  type Policies,
  readIncident,
  recordPoll,
  type Sql,
  verifyUnserved,
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

let database: TestDatabase;
let sql: Sql;
let fleet: PlantedFleet;

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
  await sql`insert into poll (due_at) values (now() + interval '1 minute')`;
  fleet = await plantFleet(sql, { devices: 7, tunnels: 2, services: 0 });
});

const correlate = (policies: Policies = POLICIES) =>
  correlateDue(sql, 100, policies, () => `inc_${randomUUID().slice(0, 8)}`);
const tell = (devices: readonly PlantedDevice[], status: 'connected' | 'disconnected') =>
  report(
    sql,
    fleet,
    devices.flatMap((device) => everythingOf(device, status)),
  );
const incidents = async (state: 'open' | 'resolved' = 'open') =>
  (await listIncidents(sql, { state, cursor: null, limit: 9, services: null })).items;

/** One poll that lists everything as connected but the given subjects, and leaves out some. */
async function poll(but: { down?: readonly number[]; gone?: readonly number[] } = {}) {
  const [clock] = await sql<{ now: Date }[]>`select clock_timestamp() as now`;
  const askedAt = clock?.now ?? new Date(0);
  const ids = fleet.devices.flatMap((device) => [device.id, ...device.tunnels.map(({ id }) => id)]);
  const findings = ids
    .filter((id) => !but.gone?.includes(id))
    .map((subjectId) => ({ subjectId, status: but.down?.includes(subjectId) ? 'disconnected' : 'connected' }) as const);
  await recordPoll(sql, findings, { askedAt, refreshMs: 60_000, openAfterMs: 20_000, maxWaitMs: 120_000 });
  return verifyUnserved(sql, {
    askedAt,
    requiredPasses: 2,
    everyMs: 5000,
    mass: POLICIES.mass,
    openAfterMs: 20_000,
    maxWaitMs: 120_000,
    newVerificationId: () => `ver_${randomUUID().slice(0, 8)}`,
  });
}

async function openIncident(devices: readonly PlantedDevice[]): Promise<string> {
  await tell(devices, 'disconnected');
  await passTime(sql, 20_000);
  await correlate();
  return (await incidents())[0]?.id ?? '';
}

const idsOf = (device: PlantedDevice | undefined) => [device?.id ?? 0, ...(device?.tunnels.map(({ id }) => id) ?? [])];

describe('an incident that no service has part in', () => {
  it(
    verifies('I11', 'ends by what polls list, enough times in a row, with a verification as its evidence'),
    async () => {
      const [device] = fleet.devices;
      const id = await openIncident([device!]);
      expect(await readIncident(sql, id, null)).toMatchObject({ services: [], state: 'open' });
      const failed = await poll({ down: idsOf(device) });
      expect(failed).toMatchObject([{ incident: id, verdict: 'device_offline', resolved: false }]);
      expect(await poll({ down: idsOf(device) })).toEqual([]);
      await tell([device!], 'connected');
      await passTime(sql, 20_000);
      await correlate();
      expect((await sql`select wanted_at <= clock_timestamp() as wanted from poll`)[0]?.wanted).toBe(true);
      expect(await poll()).toMatchObject([{ incident: id, verdict: 'healthy', resolved: false }]);
      const [second] = await poll();
      expect(second).toMatchObject({ incident: id, resolved: true });
      const ended = await readIncident(sql, id, null);
      expect(ended).toMatchObject({ state: 'resolved', resolvedBy: second?.verification });
      expect(ended?.verifications.map(({ verdict, service }) => [verdict, service])).toEqual([
        ['healthy', null],
        ['healthy', null],
        ['device_offline', null],
      ]);
      expect(ended?.verifications[0]?.layers).toContainEqual({
        layer: 'tunnel',
        outcome: 'pass',
        reason: 'ok',
        latencyMs: null,
        detail: 'Localtonet lists 2 of 2 tunnels as connected.',
      });
      expect(ended?.timeline.map(({ event }) => event).slice(-4)).toEqual([
        'group.unverified',
        'group.verified',
        'group.verified',
        'incident.resolved',
      ]);
      expect(await poll()).toEqual([]);
    },
  );

  it('says so when the Connected webhook never came', async () => {
    const id = await openIncident(fleet.devices.slice(0, 1));
    await poll();
    await poll();
    expect((await readIncident(sql, id, null))?.timeline.at(-1)?.why).toContain('missing');
  });

  it('says so as well when the Disconnected had been lost too', async () => {
    await poll({ down: idsOf(fleet.devices[0]) });
    await passTime(sql, 20_000);
    await correlate();
    const [open] = await incidents();
    await poll();
    await poll();
    expect((await readIncident(sql, open?.id ?? '', null))?.timeline.at(-1)?.why).toContain('missing');
  });

  it('starts over when anything was observed between two passes', async () => {
    const [device] = fleet.devices;
    const id = await openIncident([device!]);
    await poll();
    await tell([device!], 'disconnected');
    await tell([device!], 'connected');
    expect(await poll()).toMatchObject([{ resolved: false }]);
    expect((await readIncident(sql, id, null))?.timeline.at(-1)?.why).toContain('1 of 2');
    expect(await poll()).toMatchObject([{ resolved: true }]);
  });

  it('is not kept open by a tunnel that was deleted, nor ended by a device that is gone', async () => {
    const [device] = fleet.devices;
    const id = await openIncident([device!]);
    const gone = idsOf(device).slice(1, 2);
    await poll({ gone });
    expect(await poll({ gone: idsOf(device).slice(0, 1) })).toMatchObject([
      { verdict: 'inconclusive', resolved: false },
    ]);
    await poll({ gone });
    expect(await poll({ gone })).toMatchObject([{ incident: id, resolved: true }]);
  });

  it('without an API key says what to do instead', async () => {
    await tell(fleet.devices.slice(0, 1), 'disconnected');
    await passTime(sql, 20_000);
    await correlate({ ...POLICIES, polls: false });
    expect((await incidents())[0]?.summary).toMatch(
      /no service depends on it\. Without a Localtonet API key it cannot be verified: set localtonet\.apiKey, or resolve it by hand\.$/,
    );
  });

  it('is left to its gates as soon as a service has part in it', async () => {
    const id = await openIncident(fleet.devices.slice(0, 1));
    const [service] = await sql<{ id: number }[]>`
      insert into service (name, source_name, group_name, policy_name, open_after_ms, max_wait_ms, verify_every_ms, probe_hash)
      values ('late', 'home-lab', 'home-lab', 'default', 20000, 120000, 5000, '') returning id`;
    await sql`insert into gate (service_id) values (${service?.id ?? 0})`;
    await sql`insert into incident_service (incident_id, service_id) values (${id}, ${service?.id ?? 0})`;
    await poll();
    expect(await poll()).toEqual([]);
    await sql`update service set retired_at = now()`;
    await poll();
    expect(await poll()).toMatchObject([{ incident: id, resolved: true }]);
  });
});

describe('what an incident leaves behind when it ends', () => {
  it('is told anew when it is still down and watched, and ends by its own evidence', async () => {
    await clearCorrelation(sql);
    await sql`insert into poll (due_at) values (now() + interval '1 minute')`;
    fleet = await plantFleet(sql, { devices: 2, tunnels: 2, services: 1 });
    const [device] = fleet.devices;
    const [served, other] = device?.tunnels ?? [];
    const id = await openIncident([device!]);
    await report(
      sql,
      fleet,
      [device, served].map((subject) => ({ subjectId: subject?.id ?? 0, status: 'connected' })),
    );
    await passTime(sql, 20_000);
    await correlate();
    await openByVerification(sql, device?.serviceId ?? 0);
    expect((await readIncident(sql, id, null))?.timeline.at(-2)?.event).toBe('mass.regrouped');
    await passTime(sql, 20_000);
    await correlate();
    const [again, ...others] = await incidents();
    expect(others).toEqual([]);
    expect(again).toMatchObject({ kind: 'tunnel', services: [] });
    expect((await readIncident(sql, again?.id ?? '', null))?.subjects.map(({ alias }) => alias)).toEqual([
      other?.alias,
    ]);
    // A later look at the gate that stands open ends nothing.
    await verifyService(sql, device?.serviceId ?? 0);
    expect(await incidents()).toHaveLength(1);
    await report(sql, fleet, [{ subjectId: other?.id ?? 0, status: 'connected' }]);
    await poll();
    expect(await poll()).toMatchObject([{ incident: again?.id, resolved: true }]);
  });

  it(verifies('I11', 'is no pass that counts once it is reopened'), async () => {
    const [device] = fleet.devices;
    const id = await openIncident([device!]);
    await poll();
    expect(await poll()).toMatchObject([{ incident: id, resolved: true }]);
    await passTime(sql, 60_000);
    // Found by a poll: nothing is observed that would start the passes over.
    await poll({ down: idsOf(device) });
    await passTime(sql, 20_000);
    await correlate();
    expect(await incidents()).toMatchObject([{ id, reopened: 1 }]);
    expect(await poll()).toMatchObject([{ incident: id, resolved: false }]);
    expect(await poll()).toMatchObject([{ incident: id, resolved: true }]);
  });
});

describe('a mass outage that no service has part in', () => {
  it(verifies('I11', 'ends once what is left would be none, and tells that apart'), async () => {
    const id = await openIncident(fleet.devices);
    expect((await incidents())[0]?.kind).toBe('mass');
    const [first, ...rest] = fleet.devices;
    await poll({ down: rest.flatMap(idsOf) });
    await tell(fleet.devices.slice(1), 'connected');
    await poll({ down: idsOf(first) });
    expect((await readIncident(sql, id, null))?.state).toBe('open');
    expect(await poll({ down: idsOf(first) })).toMatchObject([{ incident: id, resolved: true }]);
    const ended = await readIncident(sql, id, null);
    expect(ended?.timeline.at(-2)?.why).toBe('1 device or tunnel is still down and told apart from now on.');
    await passTime(sql, 20_000);
    await correlate();
    expect(await incidents()).toMatchObject([{ kind: 'device', groupAlias: first?.alias }]);
  });
});
