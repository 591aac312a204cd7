import { randomUUID } from 'node:crypto';
import { type CorrelatedGroup, connect, correlateDue, listIncidents, readIncident, type Sql } from '@tidegate/store';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { deliver, type PlantedService, plantService } from '../support/plant-service.ts';
import { POLICIES } from '../support/policies.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { until } from '../support/until.ts';
import { verifies } from '../support/verifies.ts';

let database: TestDatabase;
let sql: Sql;
let planted: PlantedService;
let deviceId: number;

beforeAll(async () => {
  database = await createTestDatabase();
  sql = connect(database.url, { application: 'test' });
});
afterAll(async () => {
  await sql.end();
  await database.drop();
});
beforeEach(async () => {
  await sql`truncate observation, observation_key, delivery, connectivity, pending, blip, incident, dependency, gate, service, subject, source restart identity cascade`;
  planted = await plantService(sql, 'agent');
  const [device] = await sql<{ id: number }[]>`
    insert into subject (alias, type, group_name, fingerprint_version, fingerprint, name, linked_at)
    values ('dev_planted', 'device', 'g-agent', 1, 'device', 'mac-mini', now()) returning id`;
  deviceId = device?.id ?? 0;
});

/** Time travel: the debounce of everything pending is over. */
async function passDebounce(): Promise<void> {
  await sql`update pending set first_at = first_at - interval '1 hour', last_at = last_at - interval '1 hour', due_at = due_at - interval '1 hour'`;
}

async function correlate(): Promise<CorrelatedGroup[]> {
  return correlateDue(sql, 100, POLICIES, () => `inc_${randomUUID().slice(0, 8)}`);
}

async function linkTunnelToDevice(): Promise<void> {
  await sql`update subject set device_id = ${deviceId} where id = ${planted.tunnelId}`;
  await sql`insert into dependency (subject_id, service_id, origin) values (${deviceId}, ${planted.serviceId}, 'api')`;
}

async function openIncidents() {
  return (await listIncidents(sql, { state: 'open', cursor: null, limit: 50, services: null })).items;
}

describe('correlating due groups', () => {
  it('opens nothing before the debounce has passed', async () => {
    await deliver(sql, planted, { status: 'disconnected' });
    expect(await correlate()).toEqual([]);
    expect(await openIncidents()).toEqual([]);
  });

  it('opens one incident that says why, and names the services it holds', async () => {
    await deliver(sql, planted, { status: 'disconnected' });
    await passDebounce();
    await correlate();
    const [incident, ...others] = await openIncidents();
    expect(others).toEqual([]);
    expect(incident).toMatchObject({ kind: 'tunnel', services: ['agent'], reopened: 0 });
    const detail = await readIncident(sql, incident?.id ?? '', null);
    expect(detail?.timeline.map((entry) => entry.event)).toEqual(['gate.held', 'incident.opened', 'incident.joined']);
  });

  it('records a blip when the tunnel reconnected inside the debounce', async () => {
    await deliver(sql, planted, { status: 'disconnected' });
    await deliver(sql, planted, { status: 'connected', ticks: BigInt(Date.now() + 1000) * 10_000n });
    await passDebounce();
    const [group] = await correlate();
    expect(group?.decision.decision).toBe('blip');
    expect(await openIncidents()).toEqual([]);
    expect(await sql`select count from blip`).toEqual([{ count: 2 }]);
  });

  it(verifies('I4', 'refuses a second open incident of a group even to a writer that does not ask'), async () => {
    const insert = (id: string) => sql`
      insert into incident (id, kind, group_id, opened_at, summary) values (${id}, 'tunnel', ${planted.tunnelId}, now(), 'planted')`;
    await insert('inc_first');
    await expect(insert('inc_second')).rejects.toMatchObject({ code: '23505' });
  });

  it(verifies('I4', 'joins what a verification opened while it was about to reopen, and loses nothing'), async () => {
    await deliver(sql, planted, { status: 'disconnected' });
    await passDebounce();
    await correlate();
    await sql`update incident set state = 'resolved', resolved_at = now(), resolved_by = 'ver_planted'`;
    await deliver(sql, planted, { status: 'disconnected' });
    await sql`update pending set due_at = now() - interval '1 second', last_at = now() - interval '1 minute'`;
    let racing: Promise<CorrelatedGroup[]> | undefined;
    await sql.begin(async (tx) => {
      await tx`insert into incident (id, kind, group_id, opened_at, summary) values ('inc_other', 'tunnel', ${planted.tunnelId}, now(), '')`;
      racing = correlate();
      const blocked = () =>
        sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      await until('the correlator waits for the other', blocked, (rows) => rows.length > 0);
    });
    expect((await racing)?.map(({ incidentId }) => incidentId)).toEqual(['inc_other']);
    expect((await openIncidents()).map(({ id }) => id)).toEqual(['inc_other']);
    expect(await sql`select 1 from pending`).toEqual([]);
  });

  it(verifies('I4', 'opens one incident however many workers race for the group'), async () => {
    for (let round = 0; round < 10; round += 1) {
      await deliver(sql, planted, { status: 'disconnected' });
      await passDebounce();
      await Promise.all([correlate(), correlate(), deliver(sql, planted, { status: 'disconnected' }), correlate()]);
      await passDebounce();
      await Promise.all([correlate(), correlate()]);
      expect(await openIncidents()).toHaveLength(1);
    }
  });

  it('lets a device absorb the incident of its tunnel that was opened before', async () => {
    await deliver(sql, planted, { status: 'disconnected' });
    await passDebounce();
    await correlate();
    const [tunnelIncident] = await openIncidents();
    await linkTunnelToDevice();
    await deliver(sql, { ...planted, tunnelId: deviceId }, { status: 'disconnected' });
    await passDebounce();
    await correlate();
    const [incident, ...others] = await openIncidents();
    expect(others).toEqual([]);
    expect(incident).toMatchObject({ kind: 'device', groupName: 'mac-mini' });
    const merged = await readIncident(sql, tunnelIncident?.id ?? '', null);
    expect(merged).toMatchObject({ state: 'resolved', mergedInto: incident?.id });
    const detail = await readIncident(sql, incident?.id ?? '', null);
    expect(detail?.subjects.map((subject) => subject.type).sort()).toEqual(['device', 'tunnel']);
  });

  it('joins a tunnel that drops after its device to the same incident', async () => {
    await linkTunnelToDevice();
    await deliver(sql, { ...planted, tunnelId: deviceId }, { status: 'disconnected' });
    await passDebounce();
    await correlate();
    await deliver(sql, planted, { status: 'disconnected' });
    await passDebounce();
    const [group] = await correlate();
    expect(group?.decision).toMatchObject({ decision: 'join' });
    expect(await openIncidents()).toHaveLength(1);
  });

  it('ignores a report that is older than the evidence its gate stands open on', async () => {
    await sql`update gate set state = 'open', reason = 'verified', opened_by = 'ver_x', opened_by_started_at = now()`;
    await deliver(sql, planted, { status: 'disconnected', ticks: BigInt(Date.now() - 3_600_000) * 10_000n });
    await passDebounce();
    await correlate();
    expect(await openIncidents()).toEqual([]);
  });
});
