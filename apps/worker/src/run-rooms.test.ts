import { createFleet, type Fleet, type LocaltonetAccount, startLocaltonetAccount } from '@tidegate/simulator';
import { listIncidents, readGates, readIncident } from '@tidegate/store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  makeWorkerContext,
  plainService,
  type WorkerContextOptions,
} from '../../../test/support/make-worker-context.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/support/test-database.ts';
import { until } from '../../../test/support/until.ts';
import { verifies } from '../../../test/support/verifies.ts';
import { applyConfig } from './apply-config.ts';
import { runRooms } from './run-rooms.ts';
import type { WorkerContext } from './worker-context.ts';

const QUICK = {
  openAfterMs: 300,
  maxWaitMs: 1000,
  verify: { passes: 2, everyMs: 50, timeoutMs: 1000, edgeTimeoutMs: 2000, recheckEveryMs: 300_000 },
};
let database: TestDatabase;
let account: LocaltonetAccount;
let fleet: Fleet;
let context: WorkerContext;
let stop: () => Promise<void>;

async function start(options: Partial<WorkerContextOptions> = {}): Promise<void> {
  const made = await makeWorkerContext({
    databaseUrl: database.url,
    localtonet: { baseUrl: account.baseUrl, apiKey: 'k', pollEveryMs: 1000 },
    policy: QUICK,
    services: fleet.devices.map(({ name }, index) => plainService(`agent-${index + 1}`, name, null)),
    ...options,
  });
  context = made.context;
  await context.sql`insert into source (name, group_name, time_zone, watch) values ('home-lab', 'home-lab', 'UTC', ${options.watch ?? 'linked'})`;
  await applyConfig(context, made.dataDir);
  const rooms = runRooms(context);
  stop = async () => {
    await rooms.stop(() => Promise.resolve());
    await made.close();
  };
}

beforeEach(async () => {
  database = await createTestDatabase();
  account = await startLocaltonetAccount({ apiKey: 'k' });
});
afterEach(async () => {
  await stop();
  await account.close();
  await database.drop();
});

const plantAccount = (devices: number) => {
  fleet = createFleet({ devices, tunnelsPerDevice: 1 });
  fleet.addTo(account);
};
const statesOf = async () => (await readGates(context.sql, null, 5000)).map(({ state }) => state);
const incidents = async () =>
  (await listIncidents(context.sql, { state: null, cursor: null, limit: 9, services: null })).items;

describe('the rooms of a worker whose every alarm is lost', () => {
  it(
    verifies('I13', 'notice a lost Disconnected within two polls, and a lost Connected with one verification'),
    async () => {
      plantAccount(1);
      await start();
      await until('the first opening', statesOf, (states) => states[0] === 'open');
      const before = account.count('GET /tunnels');
      await account.deviceGoesOffline('host-1');
      await until('the gate is held', statesOf, (states) => states[0] !== 'open');
      // Verifications ask for the lists too, but none is due while the gate stands open.
      expect(account.count('GET /tunnels') - before).toBeLessThanOrEqual(2);
      const [opened] = await until('the incident', incidents, (items) => items.length > 0);
      expect(opened).toMatchObject({ kind: 'device', state: 'open', services: ['agent-1'] });
      await account.deviceComesBack('host-1');
      await until('the end of the incident', incidents, ([incident]) => incident?.state === 'resolved');
      const ended = await readIncident(context.sql, opened?.id ?? '', null);
      expect(ended?.verifications.find(({ id }) => id === ended.resolvedBy)).toMatchObject({ verdict: 'healthy' });
    },
  );

  it(verifies('I13', 'end an incident that no service has part in by polls alone'), async () => {
    plantAccount(2);
    await start({ watch: 'all', services: [] });
    await until(
      'the first poll',
      () => account.count('GET /tunnels'),
      (count) => count > 0,
    );
    const [device] = fleet.devices;
    const { fingerprintVersions } = await import('@tidegate/vault');
    const { fingerprint } = fingerprintVersions(context.keyring, {
      group: 'home-lab',
      type: 'device',
      id: device?.token ?? '',
    });
    await context.sql`select * from resolve_subjects(array['home-lab'], array['device'], array[${fingerprint.version}]::int[],
      ${context.sql.array([fingerprint.value], 17)}::bytea[], array['dev_seen'], array[null]::text[], array[null]::bytea[])`;
    await until(
      'the device is named',
      () => context.sql`select name from subject where alias = 'dev_seen' and linked_at is not null`,
      (rows) => rows.length === 1,
    );
    await account.deviceGoesOffline('host-1');
    const [opened] = await until('the incident', incidents, (items) => items.length > 0);
    expect(opened).toMatchObject({ kind: 'device', services: [] });
    await account.deviceComesBack('host-1');
    await until('the end of the incident', incidents, ([incident]) => incident?.state === 'resolved');
  });

  it(verifies('I12', 'find what is overdue within two sweeps'), async () => {
    plantAccount(1);
    await start({ localtonet: null });
    const { sql } = context;
    await until(
      'the verification at start',
      () => sql`select 1 from verification`,
      (rows) => rows.length > 0,
    );
    const [service] = await sql<{ id: number }[]>`select id from service`;
    const [subject] = await sql<{ id: number }[]>`
      insert into subject (alias, type, group_name, fingerprint_version, fingerprint) values ('tun_x', 'tunnel', 'home-lab', 1, 'x') returning id`;
    const overdue = async () => {
      const [row] = await sql<{ left: number }[]>`
        select (select count(*) from pending where due_at <= clock_timestamp() - interval '1 second')::int
          + (select count(*) from gate where verify_due_at <= clock_timestamp() - interval '1 second')::int as left`;
      return row?.left ?? 0;
    };
    const startedAtMs = performance.now();
    await sql`insert into pending (group_id, first_at, last_at, count, disconnects, due_at)
              values (${subject?.id ?? 0}, now(), now(), 1, 1, now() - interval '1 hour')`;
    await sql`update gate set verify_due_at = now() - interval '1 hour' where service_id = ${service?.id ?? 0}`;
    await until('nothing is overdue', overdue, (left) => left === 0, 10_000);
    // Two sweeps of a second, and what a busy machine adds.
    expect(performance.now() - startedAtMs).toBeLessThan(5000);
  });

  it('keep the verifications of a whole fleet within the budget of the API', async () => {
    plantAccount(60);
    await start();
    await until('all gates open', statesOf, (states) => states.every((state) => state === 'open'), 30_000);
    expect(account.peakInFlight).toBeLessThanOrEqual(4);
  });
});
