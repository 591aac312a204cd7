import { randomUUID } from 'node:crypto';
import type { SafeName } from '@tidegate/core';
import {
  connect,
  correlateDue,
  createSilence,
  decideDueNotices,
  endSilence,
  listIncidents,
  type NoticeSettings,
  readIncident,
  type Sql,
} from '@tidegate/store';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { passTime } from '../support/pass-time.ts';
import { clearCorrelation, type PlantedDevice, type PlantedFleet, plantFleet, report } from '../support/plant-fleet.ts';
import { POLICIES } from '../support/policies.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { openByVerification } from '../support/verify-service.ts';

const NOTICES: NoticeSettings = {
  rules: {
    channels: ['phone'],
    routes: [{ channels: ['phone'], severities: ['critical', 'warning', 'info'], services: null, during: null }],
    groupUpdatesMs: 0,
  },
  serviceSeverities: new Map(),
  pageUrl: null,
  newNotificationId: () => `ntf_${randomUUID().slice(0, 8)}`,
};
const SIGN = () => Buffer.alloc(32);
const MIRA = 'mira' as SafeName;

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
  await sql`delete from silence`;
  // Of two devices one has no service, so that all that the source reports is watched.
  fleet = await plantFleet(sql, { devices: 2, tunnels: 2, services: 1 });
  device = fleet.devices[0]!;
});

async function tell(status: 'connected' | 'disconnected', ...subjects: (number | undefined)[]): Promise<void> {
  await report(
    sql,
    fleet,
    subjects.map((subjectId = 0) => ({ subjectId, status })),
  );
  await passTime(sql, 20_000);
  await correlateDue(sql, 100, POLICIES, () => `inc_${randomUUID().slice(0, 8)}`);
}

const incident = async () =>
  (await listIncidents(sql, { state: null, cursor: null, limit: 9, services: null })).items[0];
const summary = async () => (await incident())?.summary;

/** A run of the service under its gate's generation, that ended a while ago. */
async function plantRun(verdict: string, firstBroken: string | null, agoMs: number): Promise<void> {
  const passed = verdict === 'healthy';
  await sql`
    insert into verification (id, service_id, generation, started_at, finished_at, verdict, first_broken, runbook, passed, passes, overtaken)
    select ${`ver_${randomUUID().slice(0, 8)}`}, g.service_id, g.generation, a.at, a.at, ${verdict}, ${firstBroken}, ${`Mend ${verdict}.`}, ${passed}, 0, false
    from gate g, (select clock_timestamp() - make_interval(secs => ${agoMs}::float8 / 1000) as at) a where g.service_id = ${device.serviceId ?? 0}`;
}

/** What is told now of what there is news of, and what the ledger told of it. */
async function decide() {
  const { told } = await decideDueNotices(sql, 10, NOTICES);
  const rows = await sql<{ kind: string; lines: string[] }[]>`
    select kind, message->'lines' as lines from notification where id = any(${told.map(({ id }) => id)}::text[]) order by seq`;
  return rows.map(({ kind, lines }) => ({ kind, text: lines.join('\n') }));
}
const arrive = () =>
  sql`update notification set state = 'sent', reached = true, ended_at = clock_timestamp(), due_at = null where ended_at is null`;

describe('the sentence of an incident', () => {
  it('says which tunnels are gone while their device is not, and the device once it is', async () => {
    const [first, second] = device.tunnels;
    await tell('disconnected', first?.id);
    expect(await summary()).toBe('Tunnel tun_homelab1x1 of device dev_homelab1 is disconnected; held: home-lab-1.');
    await tell('disconnected', second?.id);
    expect(await summary()).toBe('2 tunnels of device dev_homelab1 are disconnected; held: home-lab-1.');
    await tell('disconnected', device.id);
    expect(await summary()).toBe('Device dev_homelab1 is disconnected, 2 of its tunnels with it; held: home-lab-1.');
  });

  it('is in the past once it is over, and in the present when it comes back, since then', async () => {
    await tell('disconnected', device.id);
    await tell('connected', device.id);
    await openByVerification(sql, device.serviceId ?? 0);
    const over = await incident();
    expect(over).toMatchObject({
      state: 'resolved',
      summary: 'Device dev_homelab1 was disconnected; held meanwhile: home-lab-1.',
    });
    expect(over?.since).toEqual(over?.openedAt);
    await tell('disconnected', device.id);
    const back = await incident();
    expect(back).toMatchObject({ id: over?.id, state: 'open', reopened: 1 });
    expect(back?.summary).toContain('is disconnected');
    expect(back?.since.getTime()).toBeGreaterThan(back?.openedAt.getTime() ?? Number.NaN);
    expect(back?.since.getTime()).toBeGreaterThan(over?.resolvedAt?.getTime() ?? Number.NaN);
  });
});

describe('the next step', () => {
  it('is in the first notification, by the run that led to it, or by what kind of outage it is', async () => {
    await report(sql, fleet, [{ subjectId: device.tunnels[0]?.id ?? 0, status: 'disconnected' }]);
    await plantRun('tunnel_stopped', 'tunnel', 1000);
    await tell('disconnected');
    const [opened] = await decide();
    expect(opened).toMatchObject({ kind: 'open' });
    expect(opened?.text).toContain('First broken layer: tunnel.\nNext step: Mend tunnel_stopped.');
    const detail = await readIncident(sql, (await incident())?.id ?? '', null);
    expect(detail?.verifications.map(({ verdict }) => verdict)).toEqual(['tunnel_stopped']);
    await tell('disconnected', fleet.devices[1]?.id);
    expect((await decide()).at(-1)?.text).toContain('Next step: Check that the device has power');
  });

  it('is not that of a run that a newer pass overruled', async () => {
    await tell('disconnected', device.id);
    await decide();
    await arrive();
    await plantRun('tunnel_stopped', 'tunnel', 500);
    await plantRun('healthy', null, 100);
    await sql`update incident set kind = 'flapping', summary = 'Device x is flapping.'`;
    const [update] = await decide();
    expect(update).toMatchObject({ kind: 'update' });
    expect(update?.text).not.toMatch(/Mend|First broken/);
    expect(update?.text).toContain('Next step: Check the Wi-Fi and the power of the device.');
  });
});

describe('a mute', () => {
  const mute = async () => {
    const id = `sil_${randomUUID().slice(0, 8)}`;
    const order = { id, scope: 'all', target: null, actor: MIRA, reason: MIRA, forMs: 3_600_000, keyId: null } as const;
    await createSilence(sql, order, SIGN);
    return id;
  };
  const muted = async () =>
    (await sql<{ why: string }[]>`select why from timeline_entry where event = 'notification.muted'`).map(
      ({ why }) => why,
    );

  it('is told in the timeline of what begins meanwhile, once, and when it ends people are told at once', async () => {
    const id = await mute();
    await tell('disconnected', device.id);
    for (let look = 0; look < 3; look += 1) {
      expect(await decide()).toEqual([]);
      await sql`update notice set due_at = clock_timestamp()`;
    }
    expect(await muted()).toEqual([expect.stringMatching(/^Nobody was told, because mira muted it until .* UTC\.$/)]);
    await decide();
    await endSilence(sql, { id, actor: MIRA, keyId: null, services: null }, SIGN);
    expect(await decide()).toMatchObject([{ kind: 'open' }]);
  });

  it('lets nobody be told the end of an episode that it muted, although the one before was told', async () => {
    await tell('disconnected', device.id);
    expect(await decide()).toMatchObject([{ kind: 'open' }]);
    await arrive();
    await tell('connected', device.id);
    await openByVerification(sql, device.serviceId ?? 0);
    expect(await decide()).toMatchObject([{ kind: 'resolve' }]);
    await arrive();
    await mute();
    await tell('disconnected', device.id);
    expect(await decide()).toEqual([]);
    await tell('connected', device.id);
    await openByVerification(sql, device.serviceId ?? 0);
    expect((await incident())?.state).toBe('resolved');
    expect(await decide()).toEqual([]);
    expect(await muted()).toHaveLength(1);
  });
});
