import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { acceptedCallbackSchema } from '@tidegate/client';
import { connect, createApiKey, type Sql } from '@tidegate/store';
import { createKeyring, loadKeyring, lookupHash, newApiKey } from '@tidegate/vault';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeTempFolder } from '../../../test/support/temp-folder.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/support/test-database.ts';
import { callerOf, plantServices } from '../test/start-test-api.ts';

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));
const TSX = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
const CONFIG = `
sources: [{ name: home }]
services:
  - { name: agent, source: home, tunnel: "298487", callbackOrigins: ["https://hooks.example.org"] }
`;

let dataDir: string;
let database: TestDatabase;
let sql: Sql;
let key: string;

beforeAll(async () => {
  dataDir = await makeTempFolder('api-process');
  database = await createTestDatabase();
  sql = connect(database.url, { application: 'test', connections: 2 });
  await createKeyring(join(dataDir, 'keyring'));
  await writeFile(join(dataDir, 'tidegate.yaml'), CONFIG);
  const keyring = await loadKeyring(join(dataDir, 'keyring'));
  key = newApiKey();
  const lookup = lookupHash(keyring, 'api-key', key);
  await createApiKey(sql, {
    id: 'key_1',
    name: 'test',
    lookupHash: lookup,
    scopes: ['admin'],
    services: null,
    expiresAt: null,
  });
  await plantServices(sql, ['agent']);
}, 60_000);
afterAll(async () => {
  await sql.end({ timeout: 1 });
  await database.drop();
  await rm(dataDir, { recursive: true, force: true });
}, 60_000);

interface RunningChild {
  readonly child: ChildProcess;
  /** All that it wrote on both streams. */
  readonly said: () => string;
  readonly ended: Promise<number | null>;
}

function runMain(env: Record<string, string>): RunningChild {
  const child = fork(MAIN, {
    execArgv: ['--conditions=source', '--import', TSX],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: {
      PATH: process.env.PATH,
      TIDEGATE_CONFIG: join(dataDir, 'tidegate.yaml'),
      TIDEGATE_DATA_DIR: dataDir,
      TIDEGATE_PORT: '0',
      TIDEGATE_ADMIN_PORT: '0',
      LOG_LEVEL: 'debug',
      ...env,
    },
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  }
  // Not `close`: a parent that disconnected does not get it.
  const streams = [child.stdout, child.stderr].flatMap((stream) => (stream === null ? [] : [once(stream, 'end')]));
  const ended = Promise.all([once(child, 'exit'), ...streams]).then(([[code]]) => code as number | null);
  return { child, said: () => said, ended };
}

describe('the api as a process', () => {
  it('tells its parent when it serves, takes a callback over, and ends on SIGTERM with its long polls answered', async () => {
    const { child, said, ended } = runMain({ DATABASE_URL: database.url });
    const [ready] = (await once(child, 'message')) as [{ type: string; app: string; port: number; adminPort: number }];
    expect(ready).toMatchObject({ type: 'ready', app: 'api', port: expect.any(Number), adminPort: expect.any(Number) });
    const call = callerOf(ready.port, key);
    expect((await call('/readyz')).status).toBe(200);
    const post = (url: string) =>
      call('/v1/callbacks', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': 'secret-idempotency-key' },
        body: JSON.stringify({ service: 'agent', url, method: 'POST', safety: 'safe', repeat: 'forbidden' }),
      });
    const accepted = await post('https://hooks.example.org/secret-path');
    expect(acceptedCallbackSchema.parse(await accepted.json()).state).toBe('held');
    expect((await post('https://elsewhere.example/')).status).toBe(422);
    const [alarm] = await sql<
      { n: number }[]
    >`select count(*)::int as n from information_schema.schemata where schema_name like 'tidegate_queue%'`;
    expect(alarm?.n).toBe(1);

    const metrics = await fetch(`http://127.0.0.1:${ready.adminPort}/metrics`);
    expect(await metrics.text()).toContain('tidegate_gate_queries_total');
    const waiting = call('/v1/gates/agent?wait=60s&generation=1');
    await call('/healthz');
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
    expect((await waiting).status).toBe(200);
    expect(said()).toContain('"event":"app.started"');
    expect(said()).not.toMatch(/secret|tdg_|postgres:\/\//);
  }, 60_000);

  it.each([
    ['no database is named', {}, 'api: DATABASE_URL is not set', 1],
    [
      'the keyring is missing',
      { DATABASE_URL: 'here', TIDEGATE_DATA_DIR: '/nonexistent' },
      'api: The data folder holds no keyring yet',
      1,
    ],
    [
      'the config does not exist',
      { DATABASE_URL: 'here', TIDEGATE_CONFIG: '/nonexistent.yaml' },
      '/nonexistent.yaml:1',
      2,
    ],
  ])(
    'says in one sentence that %s',
    async (_name, env, sentence, exitCode) => {
      const { said, ended } = runMain({ ...env, ...('DATABASE_URL' in env && { DATABASE_URL: database.url }) });
      expect(await ended).toBe(exitCode);
      expect(said()).toContain(sentence);
      expect(said().trim().split('\n')).toHaveLength(1);
    },
    60_000,
  );

  it('ends with its parent', async () => {
    const { child, ended } = runMain({ DATABASE_URL: database.url });
    await once(child, 'message');
    child.disconnect();
    expect(await ended).toBe(0);
  }, 60_000);
});
