import { randomUUID } from 'node:crypto';
import { applySources, connect, correlateDue, listIncidents, readGates, readIncident, type Sql } from '@tidegate/store';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { linkServices } from '../../packages/store/src/service/link-services.ts';
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
});

const correlate = () => correlateDue(sql, 100, POLICIES, () => `inc_${randomUUID().slice(0, 8)}`);
const incidents = async (state: 'open' | 'resolved' = 'open') =>
  (await listIncidents(sql, { state, cursor: null, limit: 99, services: null })).items;
const incidentOf = async (service: string | null) => (await readGates(sql, [service ?? ''], 5000))[0]?.incident ?? null;
const whys = async (id: string) => (await readIncident(sql, id, null))?.timeline.map(({ why }) => why) ?? [];

function first(): PlantedDevice {
  const [device] = fleet.devices;
  if (device === undefined) throw new Error('the fleet is empty');
  return device;
}

/** The service is not there yet, and nobody depends on its device. */
async function withoutService({ serviceId }: PlantedDevice): Promise<void> {
  await sql`delete from dependency where service_id = ${serviceId}`;
  await sql`update service set device_id = null, tunnel_id = null, retired_at = now() where id = ${serviceId}`;
}

async function addService({ serviceId, id, alias }: PlantedDevice): Promise<void> {
  await sql`update service set device_ref = ${alias}, retired_at = null where id = ${serviceId}`;
  await sql.begin((tx) => linkServices(tx as never, ['home-lab']));
  expect(await sql`select subject_id from dependency where service_id = ${serviceId}`).toEqual([{ subjectId: id }]);
}

/** Fails its verifications for as long as a person would have patience. */
async function failFor(device: PlantedDevice, ms: number, verdict: 'device_offline' | 'app_check_failed') {
  for (let left = ms; left > 0; left -= 10_000) {
    await passTime(sql, 10_000);
    await verifyService(sql, device.serviceId ?? 0, verdict);
    await correlate();
  }
}

describe('a gate that stays shut', () => {
  it('for a device that was down before anybody depended on it is told, by the rules of any other outage', async () => {
    fleet = await plantFleet(sql, { devices: 2, services: 2 });
    const device = first();
    await withoutService(device);
    await report(sql, fleet, everythingOf(device, 'disconnected'));
    await passTime(sql, 200_000);
    expect(await correlate()).toEqual([]);
    await addService(device);
    await passTime(sql, 20_000);
    expect(await correlate()).toMatchObject([{ decision: { decision: 'open', kind: 'device' } }]);
    expect(await incidents()).toMatchObject([{ kind: 'device', services: [device.service] }]);
  });

  it('is told by the incident of its device that was open before the service was there', async () => {
    fleet = await plantFleet(sql, { devices: 2, services: 2 });
    const device = first();
    await sql`update source set watch = 'all'`;
    await withoutService(device);
    await report(sql, fleet, everythingOf(device, 'disconnected'));
    await passTime(sql, 20_000);
    await correlate();
    const [open] = await incidents();
    expect(open).toMatchObject({ services: [], summary: expect.stringContaining('no service depends on it') });
    await addService(device);
    expect(await incidentOf(device.service)).toBe(open?.id);
    expect(await incidents()).toMatchObject([
      { services: [device.service], summary: expect.stringContaining(`held: ${device.service}.`) },
    ]);
    expect((await whys(open?.id ?? '')).at(-1)).toContain(device.service);
    await report(sql, fleet, everythingOf(device, 'connected'));
    await openByVerification(sql, device.serviceId ?? 0);
    expect(await incidents('resolved')).toMatchObject([{ id: open?.id }]);
  });

  it('is told although a late Disconnected counts as down that shut nothing', async () => {
    fleet = await plantFleet(sql, { devices: 1 });
    const device = first();
    await report(sql, fleet, [{ subjectId: device.id, status: 'disconnected', agoMs: 600_000 }]);
    await passTime(sql, 25_000);
    expect(await correlate()).toMatchObject([{ decision: { decision: 'blip' } }]);
    await failFor(device, 60_000, 'app_check_failed');
    expect(await incidents()).toMatchObject([{ kind: 'application', services: [device.service] }]);
    expect(await incidentOf(device.service)).not.toBeNull();
  });

  it('of a service whose device nobody told of stands in one incident with that device, whichever failed first', async () => {
    for (const order of ['the service', 'the token'] as const) {
      await clearCorrelation(sql);
      fleet = await plantFleet(sql, { devices: 1 });
      const device = first();
      await sql`delete from dependency`;
      await sql`update subject set linked_at = null, name = null where id = ${device.id}`;
      await sql`update service set device_id = null, tunnel_id = null, device_ref = 'mac-mini'`;
      await sql`update gate set state = 'held', reason = 'never_verified', opened_by = null, opened_by_started_at = null,
                  since = now() - interval '10 min'`;
      if (order === 'the service') {
        expect((await verifyService(sql, device.serviceId ?? 0, 'agent_down')).openedIncident).not.toBeNull();
        expect(await incidents()).toMatchObject([{ kind: 'application' }]);
      }
      await report(sql, fleet, [{ subjectId: device.id, status: 'disconnected' }]);
      await passTime(sql, 20_000);
      await correlate();
      await verifyService(sql, device.serviceId ?? 0, 'agent_down');
      expect(await incidents()).toMatchObject([{ kind: 'device', services: [device.service] }]);
    }
  });

  it('of a service that is added during the outage of a token which may be its device is told there', async () => {
    fleet = await plantFleet(sql, { devices: 1 });
    const device = first();
    await sql`update source set watch = 'all'`;
    await sql`delete from dependency`;
    await sql`update subject set linked_at = null, name = null where id = ${device.id}`;
    await sql`update service set device_id = null, tunnel_id = null, device_ref = 'mac-mini', retired_at = now()`;
    await report(sql, fleet, [{ subjectId: device.id, status: 'disconnected' }]);
    await passTime(sql, 20_000);
    await correlate();
    await sql`update service set retired_at = null`;
    await sql`update gate set state = 'held', reason = 'never_verified', since = now() - interval '10 min'`;
    expect((await verifyService(sql, device.serviceId ?? 0, 'agent_down')).openedIncident).toBeNull();
    expect(await incidents()).toMatchObject([{ kind: 'device', services: [device.service] }]);
  });

  it('because its connection is unstable is opened again also when its source was given another group', async () => {
    fleet = await plantFleet(sql, { devices: 1 });
    const device = first();
    for (let flaps = 0; flaps < 3; flaps += 1) {
      await report(sql, fleet, [{ subjectId: device.id, status: 'disconnected' }]);
      await passTime(sql, 5000);
      await report(sql, fleet, [{ subjectId: device.id, status: 'connected' }]);
      await passTime(sql, 5000);
    }
    await passTime(sql, 20_000);
    await correlate();
    expect(await incidents()).toMatchObject([{ kind: 'flapping' }]);
    await sql`insert into source_secret (lookup_hash, source_id) values ('x', ${fleet.sourceId})`;
    await applySources(sql, [
      { name: 'home-lab', group: 'new-name', timeZone: 'UTC', watch: 'linked', secretHash: null },
    ]);
    await sql`update service set group_name = 'new-name'`;
    await passTime(sql, 86_400_000);
    await correlate();
    await openByVerification(sql, device.serviceId ?? 0);
    expect(await incidents()).toEqual([]);
    expect(await incidents('resolved')).toMatchObject([{ services: [device.service] }]);
  });
});
