import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { beatReceiver, claimKeyring, connect, migrate, type Sql, type StoreInspection } from '@tidegate/store';
import { createKeyring, loadKeyring } from '@tidegate/vault';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { examineClock } from '../../apps/cli/src/doctor/examine-clock.ts';
import { type CliRun, runCli } from '../support/run-cli.ts';
import { startTestPostgres, startTestRedis } from '../support/servers.ts';
import { makeTempFolder } from '../support/temp-folder.ts';

const API_KEY = 'invented-localtonet-key';
const DEVICE_TOKEN = 'invented-device-token';
const CHECKS = [
  'config',
  'postgres',
  'redis',
  'keys',
  'clock',
  'ports',
  'localtonet',
  'spool',
  'self_dependency',
  'receivers',
];

/** Of its own, with the settings that promises rest on. */
let database: Awaited<ReturnType<typeof startTestPostgres>>;
let sql: Sql;
let redis: Awaited<ReturnType<typeof startTestRedis>>;
let redisClient: Redis;
let localtonet: Server;
let dataDir: string;
/** What Localtonet answers, for one test. */
let account: { status: number; aheadMs: number | null; tunnels: object[] };

beforeAll(async () => {
  [database, redis] = await Promise.all([startTestPostgres({ fsync: true }), startTestRedis()]);
  await migrate(database.url);
  sql = connect(database.url, { application: 'test', connections: 2 });
  redisClient = new Redis(redis.port, '127.0.0.1');
  localtonet = createServer((request, response) => {
    response.sendDate = false;
    if (account.aheadMs !== null) response.setHeader('date', new Date(Date.now() + account.aheadMs).toUTCString());
    const allowed = request.headers.authorization === `Bearer ${API_KEY}`;
    response.writeHead(allowed ? account.status : 401, { 'content-type': 'application/json' });
    const devices = [{ token: DEVICE_TOKEN, name: 'mac-mini' }];
    response.end(JSON.stringify(request.url?.includes('tunnels') ? account.tunnels : devices));
  });
  await new Promise<void>((resolve) => localtonet.listen(0, '127.0.0.1', resolve));
}, 60_000);

afterAll(async () => {
  localtonet.closeAllConnections();
  localtonet.close();
  redisClient.disconnect();
  await sql.end();
  await Promise.all([redis.stop(), database.stop()]);
});

beforeEach(async () => {
  account = { status: 200, aheadMs: 0, tunnels: [{ id: 298487, url: 'https://abc.localto.net' }] };
  dataDir = await makeTempFolder('doctor');
  await createKeyring(join(dataDir, 'keyring'));
  await sql`delete from installation`;
  await claimKeyring(sql, (await loadKeyring(join(dataDir, 'keyring'))).id);
  await writeConfig('https://hooks.example.org');
  return () => rm(dataDir, { recursive: true, force: true });
});

async function writeConfig(publicUrl: string, more = ''): Promise<void> {
  const { port } = localtonet.address() as AddressInfo;
  const text = `sources: [{ name: home-lab }]
localtonet: { baseUrl: "http://127.0.0.1:${port}/api/v2", apiKey: "\${DOCTOR_API_KEY}" }
receiver: { publicUrl: "${publicUrl}" }
outbound: { probes: { allowPrivate: ["127.0.0.1/32"] } }
${more}`;
  await writeFile(join(dataDir, 'tidegate.yaml'), text);
}

function doctor(env: Record<string, string> = {}, ...flags: string[]): Promise<CliRun> {
  return runCli(['doctor', ...flags], {
    DATABASE_URL: database.url,
    REDIS_URL: `redis://127.0.0.1:${redis.port}`,
    TIDEGATE_DATA_DIR: dataDir,
    TIDEGATE_CONFIG: join(dataDir, 'tidegate.yaml'),
    TIDEGATE_RECEIVER_PORT: '0',
    TIDEGATE_API_PORT: '0',
    DOCTOR_API_KEY: API_KEY,
    ...env,
  });
}

interface Report {
  readonly state: string;
  readonly items: readonly { check: string; state: string; says: string; fix: string | null }[];
}

/** Runs doctor and answers what is not fine; every such thing must name its fix in a sentence. */
async function findWrong(env: Record<string, string> = {}): Promise<string[]> {
  const run = await doctor(env, '--json');
  const { state, items } = run.json<Report>();
  const wrong = items.filter((item) => item.state !== 'ok');
  for (const { says, fix } of wrong)
    expect([says, fix]).toEqual([expect.stringMatching(/\S/), expect.stringMatching(/^\S.{8,}/)]);
  expect(run.code).toBe({ ok: 0, warning: 1, broken: 2 }[state]);
  expect(run.stdout).not.toContain(API_KEY);
  return wrong.map((item) => `${item.state} ${item.check}: ${item.says}`);
}

describe('tidegate doctor', () => {
  it('finds nothing where nothing is wrong, and prints no secret', async () => {
    const run = await doctor();
    expect([run.code, run.stderr, run.stdout]).toEqual([0, '', expect.not.stringContaining('Fix: ')]);
    expect(run.stdout).toContain('The API key works: 1 device(s), 1 tunnel(s).');
    const { state, items } = (await doctor({}, '--json')).json<Report>();
    expect(state).toBe('ok');
    expect(items.filter((item) => item.state !== 'ok')).toEqual([]);
    expect([...new Set(items.map(({ check }) => check))].sort()).toEqual([...CHECKS].sort());
    const password = new URL(database.url).password;
    for (const secret of [API_KEY, DEVICE_TOKEN, ...(password === '' ? [] : [password])]) {
      expect(run.stdout + JSON.stringify(items)).not.toContain(secret);
    }
  });

  it('names the fix below what it found, and the exit codes in its help', async () => {
    account.status = 403;
    const run = await doctor();
    expect([run.code, run.stdout]).toEqual([
      2,
      expect.stringMatching(/^broken +localtonet .+\n {2}Fix: Give the API key /m),
    ]);
    expect((await doctor({}, '--help')).stdout).toMatch(
      /0 {2}all is well\n {2}1 {2}there are warnings\n {2}2 {2}something/,
    );
  });

  it('config: a wrong key by file, line and name, and a variable that is not set', async () => {
    await writeConfig('https://hooks.example.org', 'nonsense: sekrit-value\n');
    const wrong = await findWrong();
    expect(wrong).toEqual([expect.stringMatching(/^broken config: .*tidegate\.yaml:5: /)]);
    expect(wrong.join()).not.toContain('sekrit-value');
    await writeConfig('https://hooks.example.org');
    expect(await findWrong({ DOCTOR_API_KEY: '' })).toEqual([
      expect.stringMatching(/DOCTOR_API_KEY, which is not set/),
    ]);
    expect(await findWrong({ TIDEGATE_API_PORT: 'x' })).toEqual([
      expect.stringMatching(/^broken config: TIDEGATE_API_PORT /),
    ]);
  });

  it('postgres: away, unsafe, behind, ahead', async () => {
    const away = await findWrong({ DATABASE_URL: 'postgres://nobody:invented-password@127.0.0.1:1/none' });
    expect(away).toEqual(['broken postgres: Postgres cannot be asked (ECONNREFUSED).']);
    expect(await findWrong({ DATABASE_URL: '' })).toEqual([
      expect.stringMatching(/^broken postgres: No database runs for /),
    ]);
    const unsafe = await startTestPostgres({ fsync: false });
    await migrate(unsafe.url);
    expect(await findWrong({ DATABASE_URL: unsafe.url })).toEqual([
      expect.stringMatching(/^broken postgres: fsync is off/),
      expect.stringMatching(/^broken postgres: full_page_writes is off/),
    ]);
    await unsafe.stop();
    const [last] = await sql`delete from drizzle.__drizzle_migrations
      where created_at = (select max(created_at) from drizzle.__drizzle_migrations) returning hash, created_at`;
    expect(await findWrong()).toEqual(['warning postgres: 1 migration(s) are not applied yet.']);
    await sql`insert into drizzle.__drizzle_migrations (hash, created_at) values (${last?.hash}, ${last?.createdAt}), ('x', 9999999999999)`;
    expect(await findWrong()).toEqual(['broken postgres: It was migrated by a newer Tidegate (1 migration(s) more).']);
    await sql`delete from drizzle.__drizzle_migrations where hash = 'x'`;
  });

  it('redis: away, or one that evicts', async () => {
    expect(await findWrong({ REDIS_URL: 'redis://127.0.0.1:1' })).toEqual([
      expect.stringMatching(/^broken redis: Redis cannot be reached \(ECONNREFUSED\)/),
    ]);
    await redisClient.config('SET', 'maxmemory-policy', 'allkeys-lru');
    expect(await findWrong()).toEqual(['broken redis: Redis may evict jobs: set maxmemory-policy to noeviction.']);
    await redisClient.config('SET', 'maxmemory-policy', 'noeviction');
    expect(await findWrong({ REDIS_URL: '' })).toEqual([]);
  });

  it('keys: open to others, of another installation, without the private one, incomplete, not there', async () => {
    const file = (name: string) => join(dataDir, 'keyring', name);
    await chmod(file('lookup-key.json'), 0o644);
    expect(await findWrong()).toEqual([
      expect.stringMatching(/^broken keys: .*lookup-key\.json can be read by others/),
    ]);
    await chmod(file('lookup-key.json'), 0o600);
    await sql`update installation set keyring_id = 'kr_other'`;
    expect(await findWrong()).toEqual(['broken keys: The database belongs to another keyring.']);
    await sql`delete from installation`;
    await rm(file('sealing-private-key.json'));
    expect(await findWrong()).toEqual([expect.stringMatching(/^warning keys: This machine cannot open/)]);
    await rm(file('lookup-key.json'));
    expect(await findWrong()).toEqual([expect.stringMatching(/^broken keys: .*lookup-key\.json/)]);
    await rm(join(dataDir, 'keyring'), { recursive: true });
    expect(await findWrong()).toEqual([expect.stringMatching(/^broken keys: The data folder holds no keyring yet/)]);
  });

  it('clock: Postgres lives in another hour, as far as it can be told', async () => {
    const clock = async (aheadMs: number, withinMs: number) => {
      const [found] = await examineClock({ aheadMs, withinMs } as StoreInspection, null);
      return `${found?.state} ${found?.says}`;
    };
    expect(await clock(-3_600_000, 20)).toMatch(/^broken The clock of Postgres is 1h behind /);
    expect(await clock(1500, 20)).toMatch(/^ok /);
    expect(await clock(3_000, 2500)).toMatch(/^ok /);
  });

  it('clock: Localtonet lives in another hour, or tells no time', async () => {
    account.aheadMs = -3_600_000;
    expect(await findWrong()).toEqual([expect.stringMatching(/^broken clock: The clock of Localtonet is .+ behind /)]);
    account.aheadMs = 30_000;
    expect(await findWrong()).toEqual([
      expect.stringMatching(/^warning clock: The clock of Localtonet is .+ ahead of /),
    ]);
  });

  it('ports: taken by somebody, or not listened at where the ready file says so', async () => {
    const { port } = localtonet.address() as AddressInfo;
    expect(await findWrong({ TIDEGATE_RECEIVER_PORT: String(port) })).toEqual([
      `warning ports: Port ${port} of the receiver is in use.`,
    ]);
    const ready = { receiverUrl: `http://127.0.0.1:${port}`, apiUrl: 'http://127.0.0.1:1' };
    await writeFile(join(dataDir, 'ready.json'), JSON.stringify(ready), { mode: 0o600 });
    expect(await findWrong()).toEqual([expect.stringMatching(/^broken ports: .*\b(1)\b.*api/)]);
  });

  it('tells all the rest beside a check that fails in a way it did not foresee', async () => {
    expect(await findWrong({ DOCTOR_API_KEY: 'invented → key' })).toEqual([
      'broken localtonet: localtonet.apiKey holds a character that cannot stand in a header.',
    ]);
    await chmod(join(dataDir, 'keyring', 'lookup-key.json'), 0o600);
    await rm(join(dataDir, 'keyring', 'lookup-key.json'));
    await mkdir(join(dataDir, 'keyring', 'lookup-key.json'));
    expect(await findWrong()).toEqual([expect.stringMatching(/^broken keys: .*lookup-key\.json cannot be read/)]);
  });

  it('localtonet: a key that is refused, nobody there, no section; and a way in through a tunnel', async () => {
    expect(await findWrong({ DOCTOR_API_KEY: 'another-invented-key' })).toEqual([
      'broken localtonet: The API does not tell its devices and tunnels (unauthorized).',
    ]);
    await writeConfig('https://abc.localto.net/in');
    expect(await findWrong()).toEqual([
      expect.stringMatching(/^broken self_dependency: Webhooks come in through a tunnel/),
    ]);
    await writeFile(join(dataDir, 'tidegate.yaml'), 'sources: [{ name: home-lab }]\n');
    expect(await findWrong()).toEqual([
      expect.stringMatching(/^warning localtonet: No localtonet section/),
      expect.stringMatching(/^warning self_dependency: /),
    ]);
  });

  it('spool: no folder, no room, nothing that can be written', async () => {
    const lost = await findWrong({ TIDEGATE_DATA_DIR: join(dataDir, 'nowhere') });
    expect(lost).toEqual([
      expect.stringMatching(/^broken keys/),
      expect.stringMatching(/^warning spool: The data folder /),
    ]);
    const closed = await findWrong({ TIDEGATE_DATA_DIR: '/proc' });
    expect(closed).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^broken spool: 0 MiB are free under \/proc/),
        expect.stringMatching(/^broken spool: Nothing can be written into \/proc/),
      ]),
    );
  });

  it('receivers: one that is silent holds every gate', async () => {
    await mkdir(join(dataDir, 'spool'));
    await beatReceiver(sql, 'rcv_one');
    expect(await findWrong()).toEqual([]);
    await sql`update receiver set heartbeat_at = clock_timestamp() - interval '6 seconds'`;
    expect(await findWrong()).toEqual(['broken receivers: Receiver rcv_one is silent, so every gate is held.']);
    await sql`delete from receiver`;
  });
});
