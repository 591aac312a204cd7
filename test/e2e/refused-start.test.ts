import { cp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { ObservationPage } from '@tidegate/client';
import { postWebhook } from '@tidegate/simulator';
import { connect } from '@tidegate/store';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { findProcesses } from '../support/find-processes.ts';
import { databaseUrl } from '../support/run-app-alone.ts';
import { runToEnd, type Stack, type StackOptions, startStack } from '../support/run-stack.ts';
import { startTestRedis } from '../support/servers.ts';
import { makeTempFolder } from '../support/temp-folder.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { verifies } from '../support/verifies.ts';

const CONFIG = { sources: [{ name: 'home-lab', watch: 'all' }] };
const SECRET = 'not-to-be-repeated-4711';

let folder: string;

beforeAll(async () => {
  folder = await makeTempFolder('refused');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

type Refusal = Awaited<ReturnType<typeof runToEnd>> & { readonly sentences: string[] };

/** A start that is refused: its sentences are what it says on stderr beside log lines. */
async function refuse(options: Partial<StackOptions> = {}): Promise<Refusal> {
  const run = await runToEnd({ config: CONFIG, folder, ...options });
  const sentences = run.stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{'));
  expect(run.signal).toBeNull();
  expect(run.stdout + run.stderr).not.toMatch(/^\s+at |\.js:\d+|node:internal/m);
  expect(run.stdout + run.stderr).not.toContain(SECRET);
  expect(run.stderr).not.toContain('"level":"error"');
  expect(findProcesses(options.folder ?? folder)).toEqual([]);
  return { ...run, sentences };
}

function listenSomewhere(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    onTestFinished(() => void server.close());
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : 0);
    });
  });
}

describe('a config that is wrong', () => {
  it.each([
    ['an unknown key', 'sources:\n  - { name: home-lab, wach: all }\n', 2, 'sources[0].wach'],
    ['a value not allowed', `sources:\n  - name: home-lab\n    watch: ${SECRET}\n`, 3, 'sources[0].watch'],
    ['a variable not set', `sources:\n  - { name: a, secret: "\${NOT_SET_HERE}" }\n`, 2, 'sources[0].secret'],
    ['no YAML', `sources:\n\t- ${SECRET}\n`, 2, ''],
  ])('%s: the file, the line and the key, and exit code 2', async (_name, config, line, key) => {
    const { code, sentences } = await refuse({ config });
    expect(code).toBe(2);
    const place = `${join(folder, 'tidegate.yaml')}:${line}: ${key === '' ? '' : `${key}: `}`;
    expect(sentences[0]?.startsWith(place) ? place : sentences[0]).toBe(place);
    expect(sentences[0]?.length).toBeGreaterThan(place.length + 5);
  });

  it('a variable of the environment: its name, and exit code 2', async () => {
    const { code, sentences } = await refuse({ env: { DATABASE_URL: `mysql://${SECRET}@127.0.0.1/x` } });
    expect([code, sentences]).toEqual([2, [expect.stringMatching(/^DATABASE_URL must be .*\.$/)]]);
  });
});

describe('a port in use', () => {
  it('is named, and what had started beside it is stopped', async () => {
    const port = await listenSomewhere();
    const { code, sentences, stderr } = await refuse({ flags: ['--receiver-port', String(port)] });
    expect(code).toBe(1);
    expect(sentences).toEqual([
      `receiver: Port ${port} is already in use.`,
      'tidegate: receiver could not start; its own message is above.',
    ]);
    expect(stderr).toMatch(/"app":"api",.*"event":"app\.stopped"/);
  });
});

describe('a folder that cannot be used', () => {
  it('because a file is in its place', async () => {
    const own = await makeTempFolder('refused');
    onTestFinished(() => rm(own, { recursive: true, force: true }));
    await writeFile(join(own, 'data'), '');
    const { code, sentences } = await refuse({ folder: own });
    const sentence = `tidegate: The data folder ${join(own, 'data')} cannot be used (EEXIST); choose another with --data-dir.`;
    expect([code, sentences]).toEqual([1, [sentence]]);
  });
});

describe('a data folder with keys and data', () => {
  let kept: Stack;
  let observation: string;

  beforeAll(async () => {
    kept = await startStack({ config: CONFIG });
    const event = { Id: 'invented-token', ActionDate: '2026-11-30T10:00:00Z', Type: 'Token', Status: 'Disconnected' };
    const posted = await postWebhook(kept.ready().sources[0]?.webhookUrl ?? '', event);
    observation = posted.outcome === 'answered' ? JSON.parse(posted.body).observation : '';
  });
  afterAll(() => kept?.close());

  it('while they are in use a second start is refused, and the first is not disturbed', async () => {
    const run = await runToEnd({ config: CONFIG, folder: kept.folder });
    expect(run.code).toBe(1);
    expect(run.stderr.trim()).toMatch(
      /^tidegate: The data folder .* is in use by a running Tidegate \(process \d+\); .*\.$/,
    );
    expect((await kept.call('/v1/gates')).status).toBe(200);
    expect(kept.ready().pids.parent).toBe(kept.pid);
    expect(databaseUrl(kept)).toMatch(/^postgres:/);
    await kept.stop();
    await cp(join(kept.dataDir, 'keyring'), join(kept.folder, 'backup'), { recursive: true });
  });

  const damage = async (change: (path: string) => Promise<unknown>) => {
    const keyring = join(kept.dataDir, 'keyring');
    const name = (await readdir(keyring)).find((file) => file.startsWith('fingerprint')) ?? '';
    await change(join(keyring, name));
    const refusal = await refuse({ folder: kept.folder });
    await cp(join(kept.folder, 'backup'), keyring, { recursive: true, force: true });
    return { ...refusal, name };
  };

  it.each([
    ['overwritten', (path: string) => writeFile(path, SECRET)],
    ['emptied', (path: string) => writeFile(path, '')],
    ['lost', (path: string) => rm(path)],
  ])('a key file that was %s is named in one sentence', async (_name, change) => {
    const { code, sentences, name } = await damage(change);
    expect([code, sentences]).toEqual([1, [expect.stringMatching(/^tidegate: The keyring file .* backup\.$/)]]);
    expect(sentences[0]).toContain(name);
  });

  it('without the keyring that the database belongs to it is refused, and no other is made in its place', async () => {
    await rm(join(kept.dataDir, 'keyring'), { recursive: true });
    const { code, sentences } = await refuse({ folder: kept.folder });
    expect([code, sentences]).toEqual([1, [expect.stringMatching(/^tidegate: .*keyring.*\.$/)]]);
    expect(await readdir(kept.dataDir)).not.toContain('keyring');
    await cp(join(kept.folder, 'backup'), join(kept.dataDir, 'keyring'), { recursive: true });
  });

  it('an admin key file that was emptied is named, not replaced', async () => {
    await cp(join(kept.dataDir, 'admin-key'), join(kept.folder, 'admin'));
    await writeFile(join(kept.dataDir, 'admin-key'), '');
    const { code, sentences } = await refuse({ folder: kept.folder });
    await cp(join(kept.folder, 'admin'), join(kept.dataDir, 'admin-key'));
    expect([code, sentences]).toEqual([1, [expect.stringContaining(join(kept.dataDir, 'admin-key'))]]);
  });

  it(verifies('I1', 'and with the keys back everything received is there'), async () => {
    const stack = await startStack({ config: CONFIG, folder: kept.folder });
    onTestFinished(() => stack.close());
    const { items } = await stack.get<ObservationPage>('/v1/observations');
    expect(items.map(({ id }) => id)).toEqual([observation]);
  });
});

describe('stores that cannot be used', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database?.drop());

  it('a schema newer than the code', async () => {
    const sql = connect(database.url, { application: 'test', connections: 1 });
    const migrations = sql('drizzle.__drizzle_migrations');
    await sql`insert into ${migrations} (hash, created_at) values ('newer', ${Date.now() + 10 ** 12})`;
    const { code, sentences } = await refuse({ env: { DATABASE_URL: database.url } });
    await sql`delete from ${migrations} where hash = 'newer'`;
    await sql.end();
    expect([code, sentences]).toEqual([
      1,
      [expect.stringMatching(/^tidegate: .*migrated by a newer version of Tidegate.*\.$/)],
    ]);
  });

  it('a Postgres that does not answer', async () => {
    const { code, sentences } = await refuse({ env: { DATABASE_URL: `postgres://a:${SECRET}@127.0.0.1:1/x` } });
    expect([code, sentences]).toEqual([1, ['tidegate: The database cannot be reached.']]);
  });

  it('a Redis that may evict jobs', async () => {
    const redis = await startTestRedis({ settings: ['--maxmemory-policy', 'allkeys-lru'] });
    onTestFinished(() => redis.stop());
    const { code, sentences } = await refuse({ env: { DATABASE_URL: database.url, REDIS_URL: redis.url } });
    expect(code).toBe(1);
    expect(sentences).toContain('receiver: Redis may evict jobs: set maxmemory-policy to noeviction.');
    expect(sentences.at(-1)).toBe('tidegate: receiver could not start; its own message is above.');
  });
});
