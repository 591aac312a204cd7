import { randomUUID } from 'node:crypto';
import { createFleet, type Fleet, type LocaltonetAccount, startLocaltonetAccount } from '@tidegate/simulator';
import { correlateDue, type DeliveryRecord, readGates, recordBatch, resolveSubjects } from '@tidegate/store';
import { identifySubject } from '@tidegate/vault';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  makeWorkerContext,
  plainService,
  type WorkerContextOptions,
} from '../../../../test/support/make-worker-context.ts';
import { passTime } from '../../../../test/support/pass-time.ts';
import { RECORD_SETTINGS } from '../../../../test/support/plant-service.ts';
import { POLICIES } from '../../../../test/support/policies.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/test-database.ts';
import { verifies } from '../../../../test/support/verifies.ts';
import { openByVerification } from '../../../../test/support/verify-service.ts';
import { applyConfig } from '../apply-config.ts';
import { createAccountReader } from '../topology/read-account.ts';
import type { WorkerContext } from '../worker-context.ts';
import { createPoller, type Poller } from './create-poller.ts';

const POLL_EVERY_MS = 60_000;
let database: TestDatabase;
let account: LocaltonetAccount;
let fleet: Fleet;
let context: WorkerContext;
let poller: Poller;
let logged: string[];
let close: () => Promise<void>;

async function start(options: Partial<WorkerContextOptions> = {}): Promise<void> {
  logged = [];
  const made = await makeWorkerContext({
    databaseUrl: database.url,
    localtonet: { baseUrl: account.baseUrl, apiKey: 'k', pollEveryMs: POLL_EVERY_MS },
    services: [plainService('agent', 'host-1', null)],
    log: (line) => logged.push(line),
    ...options,
  });
  ({ context, close } = made);
  const [source] = context.config.sources;
  await context.sql`insert into source (name, group_name, time_zone, watch) values ('home-lab', 'home-lab', 'UTC', ${source?.watch ?? 'linked'})`;
  await applyConfig(context, made.dataDir);
  const reader = createAccountReader({
    client: context.localtonet!,
    keyring: context.keyring,
    within: (call) => call(),
  });
  poller = createPoller({ context, account: reader, pollEveryMs: POLL_EVERY_MS });
}

/** The next poll is due now, whatever was asked of it. */
async function poll(): Promise<void> {
  await passTime(context.sql, 2 * POLL_EVERY_MS);
  // Only the poll's own turn lies back: what is known stays fresh.
  await context.sql`update subject set polled_at = polled_at + interval '2 minutes', confirmed_at = confirmed_at + interval '2 minutes'`;
  await poller.look();
}

beforeEach(async () => {
  database = await createTestDatabase();
  account = await startLocaltonetAccount({ apiKey: 'k', keepRawPaths: true });
  fleet = createFleet({ devices: 3, tunnelsPerDevice: 2 });
  fleet.addTo(account);
});
afterEach(async () => {
  await close();
  await account.close();
  await database.drop();
});

const gate = async () => (await readGates(context.sql, ['agent'], 5000))[0];
const subjects = () =>
  context.sql`select s.name, d.name as device, s.device_origin, s.polled_status from subject s left join subject d on d.id = s.device_id
              order by s.type, s.name`;

const disconnected = (subjectId: number): DeliveryRecord => ({
  deliveryId: randomUUID(),
  observationKey: randomUUID(),
  subjectId,
  sourceId: 1,
  status: 'disconnected',
  ticks: BigInt(Date.now()) * 10_000n,
  zone: 'utc',
  actionDate: 'planted',
  sealedActionDate: null,
  extraFields: null,
  extraUnnamed: 0,
});

describe('a poll', () => {
  it('asks for one list of devices and one of tunnels, and learns names and edges from them', async () => {
    await start();
    await poller.look();
    const [first] = fleet.devices;
    expect(await subjects()).toEqual([
      { name: 'host-1', device: null, deviceOrigin: null, polledStatus: 'connected' },
      ...(first?.tunnels ?? [])
        .map(({ title }) => ({ name: title, device: 'host-1', deviceOrigin: 'api', polledStatus: 'connected' }))
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
    ]);
    expect(account.counts()).toEqual({
      'GET /auth-tokens': 1,
      'GET /tunnels': 1,
      // The list of tunnels does not name devices, so the one device of ours is asked for its own, once.
      'GET /auth-tokens/{token}/tunnels': 1,
    });
    await poll();
    await poll();
    expect(account.counts()).toEqual({
      'GET /auth-tokens': 3,
      'GET /tunnels': 3,
      'GET /auth-tokens/{token}/tunnels': 1,
    });
  });

  it('follows what changes: a new tunnel, and a name', async () => {
    await start();
    await poller.look();
    account.addTunnel({
      id: '999001',
      title: 'new one',
      url: 'https://n.example',
      deviceToken: fleet.devices[0]?.token ?? '',
    });
    await poll();
    expect(await subjects()).toContainEqual({
      name: 'new one',
      device: 'host-1',
      deviceOrigin: 'api',
      polledStatus: 'connected',
    });
    expect(account.count('GET /auth-tokens/{token}/tunnels')).toBe(2);
    // Edges that did not change keep their time.
    const kept = await context.sql`
      select name from subject where device_id is not null and device_since < clock_timestamp() - interval '1 minute'`;
    expect(kept).toHaveLength(2);
  });

  it(
    verifies('I2', 'tells the owner of a renamed device, whose Disconnected shuts the gate all the same'),
    async () => {
      const list = (name: string) => {
        const devices = [{ token: 'tok-a', name, clientIsOnline: true }];
        account.clearFaults();
        account.setFault({ kind: 'malformed_json', body: JSON.stringify(devices) }, { endpoint: 'GET /auth-tokens' });
        account.setFault({ kind: 'malformed_json', body: '[]' }, { endpoint: 'GET /tunnels' });
      };
      const misnamed = () => logged.map((line) => JSON.parse(line)).filter(({ event }) => event === 'service.misnamed');
      list('host-1');
      await start();
      await poller.look();
      const [service] = await context.sql<{ id: number }[]>`select id from service`;
      await openByVerification(context.sql, service?.id ?? 0);
      list('host-1 (office)');
      await poll();
      await poll();
      expect(misnamed()).toEqual([expect.objectContaining({ service: 'agent', kept: true })]);
      expect((await gate())?.state).toBe('open');
      const [device] = await context.sql<{ id: number; name: string }[]>`
      select s.id, s.name from dependency d join subject s on s.id = d.subject_id`;
      expect(device?.name).toBe('host-1 (office)');
      await recordBatch(context.sql, [disconnected(device?.id ?? 0)], RECORD_SETTINGS);
      expect((await gate())?.state).toBe('held');
    },
  );

  it('keeps tokens out of every URL when the list names devices', async () => {
    const rows = [{ token: 'tok-a', name: 'host-1', clientIsOnline: true }];
    const tunnels = [{ id: 7, title: 't', status: 1, connectionStatus: true, authToken: { token: 'tok-a' } }];
    account.setFault({ kind: 'malformed_json', body: JSON.stringify(rows) }, { endpoint: 'GET /auth-tokens' });
    account.setFault({ kind: 'malformed_json', body: JSON.stringify(tunnels) }, { endpoint: 'GET /tunnels' });
    await start();
    await poller.look();
    expect(await subjects()).toContainEqual({
      name: 't',
      device: 'host-1',
      deviceOrigin: 'api',
      polledStatus: 'connected',
    });
    expect(account.requests.map(({ rawPath }) => rawPath).sort()).toEqual(['/api/v2/auth-tokens', '/api/v2/tunnels']);
  });

  it(verifies('I13', 'finds a drop whose webhook was lost, and the reconnect too'), async () => {
    await start();
    await poller.look();
    const [service] = await context.sql<{ id: number }[]>`select id from service`;
    await openByVerification(context.sql, service?.id ?? 0);
    expect((await gate())?.state).toBe('open');
    await account.deviceGoesOffline('host-1');
    await poll();
    expect(await gate()).toMatchObject({ state: 'held', reason: 'disconnected' });
    expect(
      logged.map((line) => JSON.parse(line)).find(({ event, lost }) => event === 'poll.finished' && lost > 0),
    ).toMatchObject({
      outcome: 'ok',
      lost: 3,
    });
    await context.sql`update gate set verify_due_at = clock_timestamp() + interval '1 hour'`;
    await account.deviceComesBack('host-1');
    await poll();
    const [due] = await context.sql`select verify_due_at <= clock_timestamp() as due from gate`;
    expect(due?.due).toBe(true);
  });

  it('backs off while the API fails, honours Retry-After, and uses what one list says without the other', async () => {
    await start();
    await poller.look();
    account.setFault({ kind: 'rate_limited', retryAfter: 300 }, { endpoint: 'GET /tunnels', times: 1 });
    await account.deviceGoesOffline('host-1');
    await poll();
    const [row] = await context.sql<{ failures: number; waitS: number }[]>`
      select failures, round(extract(epoch from allowed_at - clock_timestamp()))::int as wait_s from poll`;
    expect(row).toEqual({ failures: 1, waitS: 300 });
    expect((await context.sql`select polled_status from subject where type = 'device'`)[0]?.polledStatus).toBe(
      'disconnected',
    );
    const asked = account.count('GET /auth-tokens');
    await poller.look();
    expect(account.count('GET /auth-tokens')).toBe(asked);
    await passTime(context.sql, 301_000);
    await poller.look();
    expect(account.count('GET /auth-tokens')).toBe(asked + 1);
    expect((await context.sql`select failures from poll`)[0]?.failures).toBe(0);
  });

  it(
    verifies('I2', 'links no device while its tunnels cannot be had, since its Disconnected would shut nothing'),
    async () => {
      await start();
      const linked = () => context.sql`select 1 from subject where type = 'device' and linked_at is not null`;
      account.setFault({ kind: 'rate_limited', retryAfter: 300 }, { endpoint: 'GET /tunnels', times: 1 });
      await poller.look();
      expect(await linked()).toHaveLength(0);
      await passTime(context.sql, 301_000);
      await poller.look();
      expect(await linked()).toHaveLength(1);
    },
  );

  it('speaks of the devices of every live source, and ends what a source that was taken away has left open', async () => {
    await start();
    await context.sql`insert into source (name, group_name, time_zone, watch, origin) values ('office', 'office', 'UTC', 'all', 'cli')`;
    await context.sealer.ready();
    const { keyring, sealer } = context;
    const id = fleet.devices[0]?.token ?? '';
    const [known] = await resolveSubjects(context.sql, [
      identifySubject({ keyring, sealer }, { group: 'office', type: 'device', id }),
    ]);
    await recordBatch(context.sql, [{ ...disconnected(known?.id ?? 0), sourceId: 2 }], RECORD_SETTINGS);
    await passTime(context.sql, 20_000);
    await correlateDue(context.sql, 10, POLICIES, () => 'inc_office');
    const office = () =>
      context.sql`select name, polled_status from subject where group_name = 'office' and type = 'device'`;
    await poller.look();
    expect(await office()).toEqual([{ name: 'host-1', polledStatus: 'connected' }]);
    await context.sql`update source set retired_at = now() where name = 'office'`;
    await poll();
    await poll();
    expect(await context.sql`select id, state from incident`).toEqual([{ id: 'inc_office', state: 'resolved' }]);
  });

  it('tells open incidents once when three in a row were not answered, and when one is again', async () => {
    await start({ watch: 'all' });
    await poller.look();
    await account.deviceGoesOffline('host-1');
    await poll();
    await passTime(context.sql, 20_000);
    await correlateDue(context.sql, 10, POLICIES, () => 'inc_1');
    account.setFault({ kind: 'rate_limited', retryAfter: null }, { endpoint: 'GET /tunnels', times: 5 });
    for (let failed = 0; failed < 5; failed += 1) await poll();
    const told = async () =>
      (
        await context.sql<{ event: string }[]>`select event from timeline_entry where event like 'poll.%' order by id`
      ).map(({ event }) => event);
    expect(await told()).toEqual(['poll.failing']);
    await poll();
    expect(await told()).toEqual(['poll.failing', 'poll.answered']);
  });

  it('takes a device that is listed twice for offline when either row says so', async () => {
    for (const order of [
      [true, false],
      [false, true],
    ]) {
      const rows = order.map((clientIsOnline) => ({ token: 'tok-a', name: 'host-1', clientIsOnline }));
      account.clearFaults();
      account.setFault({ kind: 'malformed_json', body: JSON.stringify(rows) }, { endpoint: 'GET /auth-tokens' });
      account.setFault({ kind: 'malformed_json', body: '[]' }, { endpoint: 'GET /tunnels' });
      if (order[0]) await start();
      await context.sql`update subject set polled_status = null`;
      await poll();
      expect(await context.sql`select polled_status from subject`).toEqual([{ polledStatus: 'disconnected' }]);
    }
  });

  it('warns once, with no address, when webhooks come in through a tunnel of the account', async () => {
    await start();
    const [own] = fleet.devices[1]?.tunnels ?? [];
    const warned = () => logged.filter((line) => line.includes('receiver.behind_tunnel'));
    const under = (publicUrl: string, allowSelfDependency: boolean) => {
      const config = { ...context.config, receiver: { ...context.config.receiver, publicUrl, allowSelfDependency } };
      const reader = createAccountReader({ client: context.localtonet!, keyring: context.keyring, within: (c) => c() });
      poller = createPoller({ context: { ...context, config }, account: reader, pollEveryMs: POLL_EVERY_MS });
    };
    const publicUrl = `https://T${own?.id}.tunnels.example.:8443/`;
    for (const [url, allowed] of [
      ['https://hooks.example.org', false],
      [publicUrl, true],
    ] as const) {
      under(url, allowed);
      await poll();
    }
    expect(warned()).toEqual([]);
    under(publicUrl, false);
    for (let polls = 0; polls < 3; polls += 1) await poll();
    expect(warned().map((line) => JSON.parse(line))).toMatchObject([{ level: 'warn', tunnels: 1 }]);
    expect(warned().join()).not.toContain('tunnels.example');
  });

  it('says nothing of a subject the API does not speak of, whose gate is then held as unknown', async () => {
    await start();
    await poller.look();
    const [service] = await context.sql<{ id: number }[]>`select id from service`;
    await openByVerification(context.sql, service?.id ?? 0);
    account.setShape({ missingFields: ['clientIsOnline'] });
    for (let missed = 0; missed < 3; missed += 1) {
      await passTime(context.sql, POLL_EVERY_MS + 1000);
      await poller.look();
      await poller.holdUnknown();
    }
    expect(await gate()).toMatchObject({ state: 'held', reason: 'unknown_subject' });
  });

  it(verifies('I3', 'leaves no token in a log line or a plain column'), async () => {
    await start();
    await poller.look();
    const dump = await context.sql`select row_to_json(s)::text as row from subject s`;
    for (const { token } of fleet.devices) {
      expect(JSON.stringify(dump)).not.toContain(token);
      expect(logged.join('\n')).not.toContain(token);
    }
  });
});
