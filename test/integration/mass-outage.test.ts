import { randomUUID } from 'node:crypto';
import {
  type CorrelatedGroup,
  connect,
  correlateDue,
  listBlips,
  listIncidents,
  readGates,
  readIncident,
  type Sql,
} from '@tidegate/store';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { passTime } from '../support/pass-time.ts';
import {
  clearCorrelation,
  everythingOf,
  type FleetPlan,
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
});

const plant = async (plan: FleetPlan) => {
  fleet = await plantFleet(sql, plan);
};

const correlate = (limit = 100): Promise<CorrelatedGroup[]> =>
  correlateDue(sql, limit, POLICIES, () => `inc_${randomUUID().slice(0, 8)}`);

const tell = (devices: readonly PlantedDevice[], status: 'connected' | 'disconnected') =>
  report(
    sql,
    fleet,
    devices.flatMap((device) => everythingOf(device, status)),
  );

const incidents = async (state: 'open' | 'resolved' = 'open') =>
  (await listIncidents(sql, { state, cursor: null, limit: 99, services: null })).items;
const detailOf = async (id: string | undefined) => readIncident(sql, id ?? '', null);

describe('many devices lost at once', () => {
  it('is measured against the devices that there are, not against all that ever were', async () => {
    await plant({ devices: 14 });
    const gone = fleet.devices.slice(6).map(({ id, serviceId }) => ({ id, serviceId: serviceId ?? 0 }));
    await sql`delete from dependency where service_id = any(${gone.map(({ serviceId }) => serviceId)}::int[])`;
    await sql`update service set retired_at = now() where id = any(${gone.map(({ serviceId }) => serviceId)}::int[])`;
    await sql`update subject set first_seen_at = now() - interval '100 days' where id = any(${gone.map(({ id }) => id)}::bigint[])`;
    await tell(fleet.devices.slice(0, 6), 'disconnected');
    await passTime(sql, 20_000);
    await correlate();
    expect(await incidents()).toMatchObject([{ kind: 'mass' }]);
  });

  it('counts a device that polls do not list any more for a day only, and one that a service needs always', async () => {
    await plant({ devices: 3, services: 1 });
    const count = async () => (await sql`select count_devices('home-lab') as count`)[0]?.count;
    expect(await count()).toBe(3);
    await passTime(sql, 2 * 86_400_000);
    expect(await count()).toBe(3);
    await sql`insert into poll (answered_at) values (clock_timestamp())`;
    expect(await count()).toBe(1);
    await sql`update subject set polled_at = clock_timestamp() where alias = ${fleet.devices[2]?.alias ?? ''}`;
    expect(await count()).toBe(2);
  });

  it('are measured against those that somebody watches: what nobody does is neither lost nor kept', async () => {
    await plant({ devices: 14 });
    const foreign = fleet.devices.slice(6);
    await sql`delete from dependency where service_id = any(${foreign.map(({ serviceId }) => serviceId ?? 0)}::int[])`;
    await sql`update service set retired_at = now() where id = any(${foreign.map(({ serviceId }) => serviceId ?? 0)}::int[])`;
    // A tunnel that a service needs makes the device it belongs to one that can be lost.
    const [tunnel] = fleet.devices[6]?.tunnels ?? [];
    await sql`insert into dependency (subject_id, service_id, origin) values (${tunnel?.id ?? 0}, ${fleet.devices[0]?.serviceId ?? 0}, 'api')`;
    await tell(fleet.devices.slice(0, 5), 'disconnected');
    await passTime(sql, 20_000);
    await correlate();
    const [mass] = await incidents();
    expect(mass).toMatchObject({ kind: 'mass' });
    const told = (await detailOf(mass?.id))?.timeline.find(({ event }) => event === 'mass.started');
    expect(told?.why).toMatch(/^5 of 7 watched devices /);
  });

  it('are one incident of their source group, which says why and holds all their services', async () => {
    await plant({ devices: 8, tunnels: 2 });
    await tell(fleet.devices.slice(0, 6), 'disconnected');
    await passTime(sql, 20_000);
    await correlate();
    const [mass, ...others] = await incidents();
    expect(others).toEqual([]);
    expect(mass).toMatchObject({
      kind: 'mass',
      groupAlias: 'home-lab',
      groupName: 'home-lab',
      services: fleet.devices.slice(0, 6).map(({ service }) => service),
      summary:
        'Outage of 6 devices of home-lab at once, 12 tunnels with them; held: home-lab-1, home-lab-2, home-lab-3 and 3 more.',
    });
    const detail = await detailOf(mass?.id);
    expect(detail?.subjects).toHaveLength(18);
    const told = detail?.timeline.filter(({ event }) => event !== 'gate.held') ?? [];
    expect(told.slice(0, 3).map(({ why }) => why)).toEqual([
      'Opened as an outage of many devices, around the source group "home-lab".',
      '6 of 8 watched devices disconnected within 30 seconds, so they are told as one outage.',
      '6 devices and 12 tunnels joined, because many devices of its source group were lost at once.',
    ]);
    expect(await sql`select 1 from pending`).toHaveLength(0);
  });

  it.each([
    ['fewer than minDevices', { devices: 5 }, 4],
    ['a smaller share than the fraction', { devices: 12 }, 5],
  ])('stay as many incidents when they are %s', async (_, plan, lost) => {
    await plant(plan);
    await tell(fleet.devices.slice(0, lost), 'disconnected');
    await passTime(sql, 20_000);
    await correlate();
    const open = await incidents();
    expect(open.map(({ kind }) => kind)).toEqual(Array.from({ length: lost }, () => 'device'));
  });

  it('stay as many when they were lost one after another, each outside the window of the others', async () => {
    await plant({ devices: 5 });
    for (const device of fleet.devices) {
      await tell([device], 'disconnected');
      await passTime(sql, 20_000);
      await correlate();
    }
    expect((await incidents()).map(({ kind }) => kind)).toEqual(['device', 'device', 'device', 'device', 'device']);
  });

  it('take over what was told of them before, and leave an older outage by itself', async () => {
    await plant({ devices: 9 });
    const [older, early, ...rest] = fleet.devices;
    await tell([older!], 'disconnected');
    await passTime(sql, 600_000);
    await correlate();
    await tell([early!], 'disconnected');
    await passTime(sql, 20_000);
    await correlate();
    const told = await incidents();
    expect(told.map(({ kind }) => kind)).toEqual(['device', 'device']);
    await tell(rest.slice(0, 5), 'disconnected');
    await passTime(sql, 20_000);
    await correlate();
    const [first, second, ...others] = await incidents();
    expect(others).toEqual([]);
    expect([first?.kind, second?.kind].sort()).toEqual(['device', 'mass']);
    const mass = [first, second].find((incident) => incident?.kind === 'mass');
    const merged = await detailOf(told.find(({ services }) => services[0] === early?.service)?.id);
    expect(merged).toMatchObject({ state: 'resolved', mergedInto: mass?.id });
    expect(merged?.timeline.at(-1)?.why).toBe(
      `Merged into ${mass?.id}, because many devices of its source group were lost at once.`,
    );
    expect(mass?.services).toContain(early?.service);
    expect(mass?.services).not.toContain(older?.service);
  });

  it('wait for no report to be sure of one whose verification fails meanwhile, and tell it with them', async () => {
    await plant({ devices: 9 });
    const [late, ...rest] = fleet.devices;
    const serviceId = late?.serviceId ?? 0;
    await sql`update gate set state = 'held', reason = 'verification_failed', since = clock_timestamp(), opened_by = null where service_id = ${serviceId}`;
    await passTime(sql, 15_000);
    await tell(rest.slice(0, 5), 'disconnected');
    await passTime(sql, 10_000);
    await verifyService(sql, serviceId, 'device_offline');
    expect(await incidents()).toEqual([]);
    await passTime(sql, 10_000);
    await correlate();
    await verifyService(sql, serviceId, 'device_offline');
    const told = await incidents();
    expect(told.map(({ kind }) => kind)).toEqual(['mass']);
    expect(told[0]?.services).toContain(late?.service);
  });

  it('are not waited for without end: others that come and go all the time hide nobody', async () => {
    await plant({ devices: 9 });
    const [silent, ...rest] = fleet.devices;
    const serviceId = silent?.serviceId ?? 0;
    await sql`update gate set state = 'held', reason = 'verification_failed', since = clock_timestamp(), opened_by = null where service_id = ${serviceId}`;
    const toldAt: number[] = [];
    for (let second = 10; second <= 80; second += 10) {
      await tell(rest.slice(0, 5), 'disconnected');
      await tell(rest.slice(0, 5), 'connected');
      await passTime(sql, 10_000);
      await correlate();
      await verifyService(sql, serviceId, 'device_offline');
      if ((await incidents()).some(({ services }) => services.includes(silent?.service ?? ''))) toldAt.push(second);
    }
    expect(toldAt).toEqual([50, 60, 70, 80]);
  });

  it.each(['opens', 'reopens'])(
    'take over one that a verification %s a moment before, once it is reported too',
    async (how) => {
      await plant({ devices: 9 });
      const [first, ...rest] = fleet.devices;
      const serviceId = first?.serviceId ?? 0;
      const fail = async () => {
        await sql`update gate set state = 'held', reason = 'verification_failed', since = clock_timestamp(), opened_by = null where service_id = ${serviceId}`;
        await passTime(sql, 21_000);
        await verifyService(sql, serviceId, 'device_offline');
      };
      await fail();
      if (how === 'reopens') {
        await openByVerification(sql, serviceId);
        await passTime(sql, 300_000);
        await fail();
      }
      const [own] = await incidents();
      expect(own).toMatchObject({ kind: 'device', services: [first?.service], reopened: how === 'reopens' ? 1 : 0 });
      await tell(rest.slice(0, 5), 'disconnected');
      await passTime(sql, 21_000);
      await correlate();
      expect((await incidents()).map(({ kind }) => kind).sort()).toEqual(['device', 'mass']);
      await tell([first!], 'disconnected');
      await passTime(sql, 5000);
      await correlate();
      const told = await incidents();
      expect(told.map(({ kind }) => kind)).toEqual(['mass']);
      expect(told[0]?.services).toContain(first?.service);
      expect(await detailOf(own?.id)).toMatchObject({ state: 'resolved', mergedInto: told[0]?.id });
    },
  );

  it('are joined by those that follow, as soon as their burst is over and without a page of their own', async () => {
    await plant({ devices: 8 });
    await tell(fleet.devices.slice(0, 5), 'disconnected');
    await passTime(sql, 20_000);
    await correlate();
    await passTime(sql, 120_000);
    await tell(fleet.devices.slice(5, 6), 'disconnected');
    expect(await correlate()).toEqual([]);
    await passTime(sql, 3000);
    const [joined] = await correlate();
    expect(joined?.decision).toMatchObject({ decision: 'join', reason: 'mass_outage' });
    const [mass, ...others] = await incidents();
    expect(others).toEqual([]);
    expect(mass?.services).toContain('home-lab-6');
  });

  it('are decided when the first sign is as old as the debounce, although the burst goes on', async () => {
    await plant({ devices: 6, tunnels: 3 });
    for (let second = 0; second < 25; second += 5) {
      await tell(fleet.devices.slice(0, 3 + second / 5), 'disconnected');
      await passTime(sql, 5000);
      await correlate();
      expect((await incidents()).map(({ kind }) => kind)).toEqual(second < 15 ? [] : ['mass']);
    }
  });

  it('are no page at all when they are back within the debounce, but blips', async () => {
    await plant({ devices: 6 });
    await tell(fleet.devices, 'disconnected');
    await passTime(sql, 5000);
    await tell(fleet.devices, 'connected');
    await passTime(sql, 20_000);
    await correlate();
    expect(await incidents()).toEqual([]);
    expect((await listBlips(sql, { group: null, cursor: null, limit: 99 })).items).toHaveLength(6);
  });

  it('are found through tunnels alone, and take lone tunnels along', async () => {
    await plant({ devices: 5, tunnels: 2, services: 0 });
    const [lone] = await sql<{ id: number }[]>`
      insert into subject (alias, type, group_name, fingerprint_version, fingerprint, public_id)
      values ('tun_lone', 'tunnel', 'home-lab', 1, 'lone', '7') returning id`;
    const tunnels = fleet.devices.flatMap((device) => device.tunnels.slice(0, 1));
    await report(
      sql,
      fleet,
      [...tunnels, lone!].map(({ id }) => ({ subjectId: id, status: 'disconnected' })),
    );
    await passTime(sql, 20_000);
    await correlate();
    const [mass, ...others] = await incidents();
    expect(others).toEqual([]);
    expect((await detailOf(mass?.id))?.subjects.map(({ alias }) => alias)).toContain('tun_lone');
  });

  it.each(['told', 'told again'])(
    'are found when the last comes alone, after the others were %s by themselves',
    async (how) => {
      await plant({ devices: 8 });
      const early = fleet.devices.slice(0, 4);
      const lose = async (devices: readonly PlantedDevice[]) => {
        await tell(devices, 'disconnected');
        await passTime(sql, 20_500);
        await correlate();
      };
      await lose(early);
      if (how === 'told again') {
        await tell(early, 'connected');
        for (const { serviceId } of early) await openByVerification(sql, serviceId ?? 0);
        await passTime(sql, 300_000);
        await correlate();
        await lose(early);
      }
      const reopened = how === 'told again' ? 1 : 0;
      expect(await incidents()).toMatchObject(early.map(() => ({ kind: 'device', reopened })));
      await passTime(sql, 4000);
      await lose(fleet.devices.slice(4, 5));
      expect((await incidents()).map(({ kind, services }) => [kind, services.length])).toEqual([['mass', 5]]);
    },
  );

  it('belong to their own source group only', async () => {
    await plant({ devices: 4, group: 'attic' });
    const attic = fleet;
    await plant({ devices: 4, group: 'cellar' });
    await tell(fleet.devices, 'disconnected');
    fleet = attic;
    await tell(fleet.devices, 'disconnected');
    await passTime(sql, 20_000);
    await correlate();
    expect((await incidents()).map(({ kind }) => kind)).toEqual(Array.from({ length: 8 }, () => 'device'));
  });

  it(verifies('I4', 'are one incident however many workers race for them'), async () => {
    for (let round = 0; round < 5; round += 1) {
      await clearCorrelation(sql);
      await plant({ devices: 8, tunnels: 2 });
      await tell(fleet.devices, 'disconnected');
      await passTime(sql, 20_000);
      await Promise.all([correlate(3), correlate(3), tell(fleet.devices, 'disconnected'), correlate(3), correlate(3)]);
      await passTime(sql, 20_000);
      for (let left = 0; left < 20; left += 1) await Promise.all([correlate(3), correlate(3)]);
      expect((await incidents()).map(({ kind }) => kind)).toEqual(['mass']);
      expect((await detailOf((await incidents())[0]?.id))?.subjects).toHaveLength(24);
    }
  });

  it('cost a fixed number of statements, however many they are', async () => {
    const countOf = async (devices: number) => {
      await clearCorrelation(sql);
      await plant({ devices, tunnels: 3, services: 2 });
      await tell(fleet.devices, 'disconnected');
      await passTime(sql, 20_000);
      let statements = 0;
      const counting = connect(database.url, { application: 'counting', connections: 1 });
      counting.options.debug = () => {
        statements += 1;
      };
      await correlateDue(counting, 1000, POLICIES, () => 'inc_counted');
      await counting.end();
      expect(await incidents()).toHaveLength(1);
      return statements;
    };
    const few = await countOf(6);
    expect(await countOf(60)).toBe(few);
    expect(few).toBeLessThan(50);
  });
});

describe('the end of a mass outage', () => {
  const reopen = async (device: PlantedDevice | undefined) => openByVerification(sql, device?.serviceId ?? 0);

  it(verifies('I11', 'is the verification that opened the last of its gates, and tells the rest apart'), async () => {
    await plant({ devices: 8, services: 6 });
    await tell(fleet.devices, 'disconnected');
    await passTime(sql, 20_000);
    await correlate();
    const [mass] = await incidents();
    await tell(fleet.devices.slice(0, 6), 'connected');
    for (const device of fleet.devices.slice(0, 5)) await reopen(device);
    expect((await detailOf(mass?.id))?.state).toBe('open');
    const evidence = await reopen(fleet.devices[5]);
    const ended = await detailOf(mass?.id);
    expect(ended).toMatchObject({ state: 'resolved', resolvedBy: evidence });
    expect(ended?.timeline.slice(-2).map(({ why }) => why)).toEqual([
      '2 devices or tunnels are still down and told apart from now on.',
      'Resolved by a passed verification.',
    ]);
    await passTime(sql, 20_000);
    await correlate();
    expect((await incidents()).map(({ kind }) => kind)).toEqual(['device', 'device']);
    expect((await listBlips(sql, { group: null, cursor: null, limit: 99 })).items).toEqual([]);
  });

  it('comes once, also when the last gates open at one moment', async () => {
    for (let round = 0; round < 5; round += 1) {
      await clearCorrelation(sql);
      await plant({ devices: 6, services: 5 });
      await tell(fleet.devices, 'disconnected');
      await passTime(sql, 20_000);
      await correlate();
      const [mass] = await incidents();
      const [last, before, ...others] = fleet.devices.slice(0, 5);
      for (const device of others) await reopen(device);
      for (const device of [last, before]) await verifyService(sql, device?.serviceId ?? 0);
      await sql`update gate set verify_due_at = null where service_id <> all(${[last?.serviceId ?? 0, before?.serviceId ?? 0]}::int[])`;
      await Promise.all([reopen(last).catch(() => undefined), reopen(before).catch(() => undefined)]);
      for (const device of [last, before])
        if ((await readGates(sql, [device?.service ?? ''], 5000))[0]?.state !== 'open') await reopen(device);
      expect((await detailOf(mass?.id))?.state).toBe('resolved');
      expect(await sql`select group_id from pending`).toEqual([{ groupId: fleet.devices[5]?.id }]);
    }
  });

  it('waits while those still down would be a mass outage by themselves', async () => {
    await plant({ devices: 10, services: 1 });
    await tell(fleet.devices, 'disconnected');
    await passTime(sql, 20_000);
    await correlate();
    const [mass] = await incidents();
    await tell(fleet.devices.slice(0, 1), 'connected');
    await reopen(fleet.devices[0]);
    expect((await detailOf(mass?.id))?.state).toBe('open');
    await tell(fleet.devices.slice(1, 7), 'connected');
    const recheck = await verifyService(sql, fleet.devices[0]?.serviceId ?? 0);
    expect(await detailOf(mass?.id)).toMatchObject({ state: 'resolved', resolvedBy: recheck.id });
  });

  it('is taken back when they are lost again soon', async () => {
    await plant({ devices: 5 });
    await tell(fleet.devices, 'disconnected');
    await passTime(sql, 20_000);
    await correlate();
    const [mass] = await incidents();
    await tell(fleet.devices, 'connected');
    for (const device of fleet.devices) await reopen(device);
    expect(await incidents()).toEqual([]);
    await passTime(sql, 60_000);
    await correlate();
    await tell(fleet.devices, 'disconnected');
    await passTime(sql, 20_000);
    await correlate();
    expect(await incidents()).toMatchObject([{ id: mass?.id, reopened: 1 }]);
  });
});

describe('a straggler of a mass outage', () => {
  /** Six of eight devices are lost at once, five come back, one does not. */
  async function linger(): Promise<string> {
    await plant({ devices: 8 });
    await tell(fleet.devices.slice(0, 6), 'disconnected');
    await passTime(sql, 20_000);
    await correlate();
    await tell(fleet.devices.slice(0, 5), 'connected');
    await passTime(sql, 1000);
    for (const device of fleet.devices.slice(0, 5)) await openByVerification(sql, device.serviceId ?? 0);
    await passTime(sql, 120_000);
    await correlate();
    return (await incidents())[0]?.id ?? '';
  }
  const device = (index: number) => fleet.devices[index] as PlantedDevice;

  it('hides no later outage: neither of a device that had come back, nor of one that never was part of it', async () => {
    const mass = await linger();
    await tell([device(0), device(7)], 'disconnected');
    await passTime(sql, 20_000);
    await correlate();
    const open = (await incidents()).map(({ id, kind, groupAlias }) => [id === mass, kind, groupAlias]);
    expect(open).toHaveLength(3);
    expect(open).toEqual(
      expect.arrayContaining([
        [true, 'mass', 'home-lab'],
        [false, 'device', device(0).alias],
        [false, 'device', device(7).alias],
      ]),
    );
    await tell([device(5)], 'disconnected');
    await passTime(sql, 20_000);
    const [repeat] = await correlate();
    expect(repeat?.decision).toMatchObject({ decision: 'none', reason: 'already_known' });
  });

  it('hides no application that fails later', async () => {
    await linger();
    for (let run = 0; run < 3; run += 1) {
      await verifyService(sql, device(0).serviceId ?? 0, 'app_check_failed');
      await passTime(sql, 20_000);
    }
    expect((await incidents()).map(({ kind, services }) => [kind, services.length])).toEqual(
      expect.arrayContaining([['application', 1]]),
    );
  });

  it('is told by itself once nothing of it has moved for reopenWithin, with a verification as the evidence', async () => {
    const mass = await linger();
    await verifyService(sql, device(1).serviceId ?? 0);
    expect((await detailOf(mass))?.state).toBe('open');
    await passTime(sql, 600_000);
    const recheck = await verifyService(sql, device(1).serviceId ?? 0);
    const ended = await detailOf(mass);
    expect(ended).toMatchObject({ state: 'resolved', resolvedBy: recheck.id });
    expect(ended?.timeline.at(-2)?.why).toBe('1 device or tunnel is still down and told apart from now on.');
    await passTime(sql, 20_000);
    await correlate();
    expect(await incidents()).toMatchObject([{ kind: 'device', groupAlias: device(5).alias }]);
  });

  it('may be a gate that a person holds: it does not keep the outage open either', async () => {
    const mass = await linger();
    await tell([device(5)], 'connected');
    await sql`update gate set hand = 'held', state = 'held', reason = 'held_by_hand', hand_actor = 'a', hand_reason = 'b',
                hand_expires_at = now() + interval '20 days', verify_due_at = null where service_id = ${device(5).serviceId}`;
    await passTime(sql, 620_000);
    await correlate();
    await verifyService(sql, device(1).serviceId ?? 0);
    expect((await detailOf(mass))?.state).toBe('resolved');
    expect(await incidents()).toEqual([]);
  });

  it('does not hide that many are lost again: the outage begins anew, and is told again', async () => {
    const mass = await linger();
    await tell(fleet.devices.slice(0, 5), 'disconnected');
    await passTime(sql, 20_000);
    await correlate();
    expect(await incidents()).toMatchObject([{ id: mass, kind: 'mass', reopened: 1 }]);
    expect((await detailOf(mass))?.timeline.map(({ event }) => event)).toContain('incident.reopened');
  });

  it(verifies('I6', 'does not hide that another one flaps: that is told, and its gate held'), async () => {
    await linger();
    const flapper = device(0);
    for (let round = 0; round < 3; round += 1) {
      await tell([flapper], 'disconnected');
      await passTime(sql, 5000);
      await tell([flapper], 'connected');
      await passTime(sql, 5000);
    }
    await openByVerification(sql, flapper.serviceId ?? 0);
    await passTime(sql, 20_000);
    await correlate();
    expect((await incidents()).map(({ kind }) => kind).sort()).toEqual(['flapping', 'mass']);
    expect((await readGates(sql, [flapper.service ?? ''], 5000))[0]).toMatchObject({
      state: 'held',
      reason: 'flapping',
    });
    expect((await verifyService(sql, flapper.serviceId ?? 0)).settlement).toMatchObject({ change: 'none' });
  });

  it('leaves a drop that heals in time a blip', async () => {
    await linger();
    await tell([device(0)], 'disconnected');
    await passTime(sql, 5000);
    await tell([device(0)], 'connected');
    await passTime(sql, 20_000);
    await correlate();
    expect((await listBlips(sql, { group: null, cursor: null, limit: 9 })).items).toHaveLength(1);
  });
});
