import { randomUUID } from 'node:crypto';
import {
  type CorrelatedGroup,
  connect,
  correlateDue,
  listBlips,
  listIncidents,
  readGates,
  readIncident,
  recordBatch,
  type Sql,
} from '@tidegate/store';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { passTime } from '../support/pass-time.ts';
import { clearCorrelation, type PlantedDevice, type PlantedFleet, plantFleet, report } from '../support/plant-fleet.ts';
import { RECORD_SETTINGS } from '../support/plant-service.ts';
import { POLICIES } from '../support/policies.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { verifies } from '../support/verifies.ts';
import { openByVerification, verifyService } from '../support/verify-service.ts';

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

const correlate = (): Promise<CorrelatedGroup[]> =>
  correlateDue(sql, 100, POLICIES, () => `inc_${randomUUID().slice(0, 8)}`);

async function tell(status: 'connected' | 'disconnected', agoMs = 0, subjectId = device.id): Promise<void> {
  await report(sql, fleet, [{ subjectId, status, agoMs }]);
}

/** Drops and comes back `times` times, five seconds each; the debounce of 20 s never passes in between. */
async function flap(times: number): Promise<void> {
  await tell('connected');
  for (let round = 0; round < times; round += 1) {
    await passTime(sql, 5000);
    await tell('disconnected');
    await passTime(sql, 5000);
    await tell('connected');
  }
}

const openIncidents = async () =>
  (await listIncidents(sql, { state: 'open', cursor: null, limit: 9, services: null })).items;
const gate = async () => (await readGates(sql, [device.service ?? ''], 5000))[0];
const eventsOf = async (id: string | undefined) => (await readIncident(sql, id ?? '', null))?.timeline ?? [];
const pendingRows = () => sql<{ count: number; dueInS: number }[]>`
  select count, round(extract(epoch from due_at - clock_timestamp()))::int as due_in_s from pending`;

describe('a connection that keeps coming and going', () => {
  it(verifies('I6', 'opens an incident even while it is up, and shuts its gate under a new generation'), async () => {
    await flap(2);
    await openByVerification(sql, device.serviceId ?? 0);
    const before = await gate();
    expect(before?.state).toBe('open');
    await passTime(sql, 20_000);
    await correlate();
    expect(await openIncidents()).toMatchObject([{ kind: 'flapping', services: [device.service] }]);
    expect(await gate()).toMatchObject({
      state: 'held',
      reason: 'flapping',
      generation: (before?.generation ?? 0) + 1,
    });
    const [incident] = await openIncidents();
    expect((await eventsOf(incident?.id)).map(({ event, why }) => `${event}: ${why}`)).toContainEqual(
      'flapping.started: The connection changed 4 times in 10 minutes; gates stay held until it settles.',
    );
    const calmInMs = ((await readIncident(sql, incident?.id ?? '', null))?.calmAt?.getTime() ?? 0) - Date.now();
    expect(calmInMs).toBeGreaterThan(500_000);
    expect(calmInMs).toBeLessThan(600_000);
    await tell('disconnected');
    expect((await readIncident(sql, incident?.id ?? '', null))?.calmAt).toBeNull();
  });

  it('turns the kind of an open incident in place', async () => {
    await tell('connected');
    await passTime(sql, 60_000);
    await tell('disconnected');
    await passTime(sql, 20_000);
    await correlate();
    const [opened] = await openIncidents();
    expect(opened?.kind).toBe('device');
    for (const status of ['connected', 'disconnected', 'connected'] as const) {
      await passTime(sql, 5000);
      await tell(status);
    }
    await passTime(sql, 20_000);
    await correlate();
    expect(await openIncidents()).toMatchObject([{ id: opened?.id, kind: 'flapping' }]);
    const events = (await eventsOf(opened?.id)).map(({ event }) => event);
    expect(events).toEqual(expect.arrayContaining(['incident.kind_changed', 'flapping.started']));
  });

  it('stays held and open whatever verification finds, until it settles; then verification decides', async () => {
    await flap(2);
    await passTime(sql, 20_000);
    await correlate();
    const [incident] = await openIncidents();
    for (let run = 0; run < 3; run += 1) {
      const { settlement, resolvedIncidents } = await verifyService(sql, device.serviceId ?? 0);
      expect(settlement).toMatchObject({ change: 'none', reason: 'flapping', passes: 0 });
      expect(resolvedIncidents).toEqual([]);
    }
    expect(await openIncidents()).toMatchObject([{ id: incident?.id, kind: 'flapping' }]);

    // Nothing more happens: the group is looked at again by itself once three of the four changes are 10 min old.
    const [again] = await pendingRows();
    expect(again?.count).toBe(0);
    await passTime(sql, (again?.dueInS ?? 0) * 1000 + 1500);
    const [settled] = await correlate();
    expect(settled?.decision).toMatchObject({ decision: 'join', reason: 'flapping_settled', kind: 'device' });
    expect((await eventsOf(incident?.id)).at(-1)?.event).toBe('flapping.settled');
    expect(await pendingRows()).toEqual([]);
    const evidence = await openByVerification(sql, device.serviceId ?? 0);
    expect(await readIncident(sql, incident?.id ?? '', null)).toMatchObject({
      state: 'resolved',
      resolvedBy: evidence,
    });
    expect(await gate()).toMatchObject({ state: 'open', reason: 'verified' });
  });

  it('does not count a verification that began before it settled', async () => {
    await flap(2);
    await passTime(sql, 20_000);
    await correlate();
    const before = await gate();
    const [again] = await pendingRows();
    await passTime(sql, (again?.dueInS ?? 0) * 1000 + 1500);
    await correlate();
    expect((await gate())?.generation).toBe((before?.generation ?? 0) + 1);
  });

  it('is not hidden by a brief reconnect at the moment it is decided, nor by blips in between', async () => {
    await tell('connected');
    await passTime(sql, 20_000);
    await correlate();
    for (let round = 0; round < 2; round += 1) {
      await passTime(sql, 60_000);
      await tell('disconnected');
      await passTime(sql, 10_000);
      await tell('connected');
      await passTime(sql, 20_000);
      await correlate();
    }
    expect(await openIncidents()).toMatchObject([{ kind: 'flapping' }]);
    expect((await listBlips(sql, { group: null, cursor: null, limit: 10 })).items).toMatchObject([
      { groupAlias: device.alias, count: 2 },
    ]);
  });

  it(verifies('I10', 'is decided at most maxWait after its first report, while reports keep coming'), async () => {
    await tell('connected');
    await passTime(sql, 60_000);
    let waitedMs = 0;
    while ((await openIncidents()).length === 0 && waitedMs < 600_000) {
      await tell(waitedMs % 20_000 === 0 ? 'disconnected' : 'connected');
      await passTime(sql, 10_000);
      waitedMs += 10_000;
      await correlate();
    }
    expect(waitedMs).toBeLessThanOrEqual(POLICIES.fallback.maxWaitMs);
    expect(await openIncidents()).toMatchObject([{ kind: 'flapping' }]);
  });

  it.each([
    ['without any date', null, null],
    ['by a clock that is hours off', -3 * 3_600_000, 'assumed'],
    ['by a clock that is hours ahead', 3 * 3_600_000, 'assumed'],
  ] as const)('is found %s, by when it was heard', async (_, offMs, zone) => {
    for (const status of ['connected', 'disconnected', 'connected', 'disconnected', 'connected'] as const) {
      const ticks = offMs === null ? null : BigInt(Date.now() + offMs) * 10_000n;
      const [key, deliveryId] = [randomUUID(), randomUUID()];
      const said = { actionDate: 'planted', sealedActionDate: null, extraFields: null, extraUnnamed: 0 };
      await recordBatch(
        sql,
        [
          {
            deliveryId,
            observationKey: key,
            subjectId: device.id,
            sourceId: fleet.sourceId,
            status,
            ticks,
            zone,
            ...said,
          },
        ],
        RECORD_SETTINGS,
      );
      await passTime(sql, 5000);
    }
    await passTime(sql, 20_000);
    await correlate();
    expect(await openIncidents()).toMatchObject([{ kind: 'flapping' }]);
    expect(await gate()).toMatchObject({ state: 'held' });
  });

  it('counts one subject alone: two tunnels that changed twice each do not flap', async () => {
    const [first, second] = device.tunnels;
    for (const tunnel of [first, second]) {
      await tell('connected', 300_000, tunnel?.id);
      await tell('disconnected', 100_000, tunnel?.id);
      await tell('connected', 60_000, tunnel?.id);
    }
    await passTime(sql, 120_000);
    await correlate();
    expect(await openIncidents()).toEqual([]);
  });

  it('holds a service that is drawn into it later, and leaves the gate of a calm sibling alone', async () => {
    const [own, other] = device.tunnels;
    const [sibling] = await sql<{ id: number }[]>`
      insert into service (name, source_name, group_name, tunnel_id, policy_name, open_after_ms, max_wait_ms, verify_every_ms, probe_hash)
      values ('sibling', 'home-lab', 'home-lab', ${other?.id ?? 0}, 'default', 20000, 120000, 5000, '') returning id`;
    await sql`insert into dependency (subject_id, service_id, origin) values (${other?.id ?? 0}, ${sibling?.id ?? 0}, 'config')`;
    await sql`insert into gate (service_id, state, reason, opened_by, opened_by_started_at)
              values (${sibling?.id ?? 0}, 'open', 'verified', 'ver_planted', now() - interval '1 second')`;
    await tell('connected', 0, own?.id);
    for (let round = 0; round < 2; round += 1) {
      await passTime(sql, 5000);
      await tell('disconnected', 0, own?.id);
      await passTime(sql, 5000);
      await tell('connected', 0, own?.id);
    }
    await passTime(sql, 20_000);
    await correlate();
    expect((await readGates(sql, null, 5000)).map(({ service, state }) => `${service} ${state}`)).toEqual([
      'home-lab-1 held',
      'sibling open',
    ]);
    await tell('disconnected', 0, other?.id);
    await passTime(sql, 20_000);
    await correlate();
    expect((await openIncidents())[0]?.services).toEqual(['home-lab-1', 'sibling']);
    expect((await verifyService(sql, sibling?.id ?? 0)).settlement).toMatchObject({ reason: 'flapping', passes: 0 });
  });

  it('is told on as it goes on: at each doubling, with the worst state and the count, and no more', async () => {
    const [tunnel] = device.tunnels;
    await tell('connected', 0, tunnel?.id);
    for (let round = 0; round < 2; round += 1) {
      await passTime(sql, 5000);
      await tell('disconnected', 0, tunnel?.id);
      await passTime(sql, 5000);
      await tell('connected', 0, tunnel?.id);
    }
    await passTime(sql, 20_000);
    await correlate();
    const [incident] = await openIncidents();
    expect(incident?.summary).toMatch(/is flapping \(4 changes so far, at worst only a tunnel was disconnected\)/);
    for (let round = 0; round < 20; round += 1) {
      await tell('disconnected', 0, tunnel?.id);
      await passTime(sql, 25_000);
      await correlate();
      await tell('connected', 0, tunnel?.id);
      await passTime(sql, 25_000);
      await correlate();
    }
    const goesOn = async () =>
      (await eventsOf(incident?.id)).filter(({ event }) => event === 'flapping.goes_on').map(({ why }) => why);
    const counts = (await goesOn()).map((why) => Number(/(\d+) changes so far/.exec(why)?.[1]));
    expect(counts).toEqual([8, 16, 32]);
    expect(await readIncident(sql, incident?.id ?? '', null)).toMatchObject({
      flapping: { changes: 44, worst: 'tunnel' },
    });

    await tell('disconnected');
    await passTime(sql, 25_000);
    await correlate();
    expect((await goesOn()).at(-1)).toMatch(/\d+ changes so far; at worst the device itself was disconnected\.$/);
    expect((await openIncidents())[0]?.summary).toContain('at worst the device was disconnected');
  });

  it('waits for a gate that another transaction has, without holding anybody up', async () => {
    await flap(2);
    await passTime(sql, 20_000);
    await sql.begin(async (tx) => {
      await tx`select 1 from gate for no key update`;
      expect((await correlate()).map(({ decision }) => decision.decision)).toEqual(['wait']);
      expect(await openIncidents()).toEqual([]);
    });
    await passTime(sql, 1000);
    await correlate();
    expect(await openIncidents()).toMatchObject([{ kind: 'flapping' }]);
  });
});
