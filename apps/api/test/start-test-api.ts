import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { createLogger, createMetrics } from '@tidegate/runtime';
import { applyServices, connect, createApiKey, type Sql } from '@tidegate/store';
import { createKeyring, type Keyring, loadKeyring, lookupHash, newApiKey, newId } from '@tidegate/vault';
import { afterAll } from 'vitest';
import { makeTempFolder } from '../../../test/support/temp-folder.ts';
import { createTestDatabase } from '../../../test/support/test-database.ts';
import { type ServedApi, type ServeOptions, serveApi } from '../src/serve-api.ts';

interface CallOptions {
  readonly method?: string;
  /** Null sends no Authorization header; undefined sends the admin key. */
  readonly key?: string | null;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

export interface TestApi {
  readonly sql: Sql;
  readonly keyring: Keyring;
  readonly keyringDir: string;
  readonly databaseUrl: string;
  readonly api: ServedApi;
  readonly adminKey: string;
  /** Every line that was logged. */
  readonly lines: string[];
  /** How often the release room was woken. */
  readonly wakes: { count: number };
  makeKey(
    scopes: string[],
    limits?: { services?: string[]; expiresAt?: Date; id?: string; key?: string },
  ): Promise<string>;
  call(path: string, options?: CallOptions): Promise<Response>;
  /** One more api on the same database. */
  another(options?: Partial<ServeOptions>): Promise<{ api: ServedApi; call: TestApi['call'] }>;
}

/** A database of its own and an api on a real socket before it; both end with the test file. */
export async function startTestApi(options: Partial<ServeOptions> = {}): Promise<TestApi> {
  const database = await createTestDatabase();
  const keyringDir = await makeTempFolder('api-keyring');
  await createKeyring(keyringDir);
  const keyring = await loadKeyring(keyringDir);
  const sql = connect(database.url, { application: 'test', connections: 4 });
  const lines: string[] = [];
  const wakes = { count: 0 };
  const running: ServedApi[] = [];
  const pools: Sql[] = [sql];
  const log = createLogger({ app: 'api', level: 'debug', destination: { write: (line) => lines.push(line) } });

  async function another(changes: Partial<ServeOptions> = {}) {
    const pool = connect(database.url, { application: 'api', connections: 4 });
    pools.push(pool);
    const api = await serveApi({
      sql: pool,
      keyring,
      callbackOrigins: new Map(),
      probes: new Map(),
      pageUrl: null,
      silentAfterMs: 5000,
      wakeRelease: () => {
        wakes.count += 1;
      },
      log,
      metrics: createMetrics({ app: 'api' }),
      host: '127.0.0.1',
      port: 0,
      ...changes,
    });
    running.push(api);
    return { api, call: callerOf(api.port, adminKey) };
  }

  const makeKey: TestApi['makeKey'] = async (scopes, limits = {}) => {
    const key = limits.key ?? newApiKey();
    await createApiKey(sql, {
      id: limits.id ?? newId('key'),
      name: 'test',
      lookupHash: lookupHash(keyring, 'api-key', key),
      scopes,
      services: limits.services ?? null,
      expiresAt: limits.expiresAt ?? null,
    });
    return key;
  };

  afterAll(async () => {
    await Promise.all(running.map((api) => api.close()));
    await Promise.all(pools.map((pool) => pool.end({ timeout: 1 })));
    await database.drop();
    await rm(keyringDir, { recursive: true, force: true });
  }, 60_000);

  const adminKey = await makeKey(['admin']);
  const { api, call } = await another(options);
  return { sql, keyring, keyringDir, databaseUrl: database.url, api, adminKey, lines, wakes, makeKey, call, another };
}

/** Calls an api on a port, with a key unless told otherwise. */
export function callerOf(port: number, key: string): TestApi['call'] {
  return (path, options = {}) => {
    const bearer = options.key === undefined ? key : options.key;
    return fetch(`http://127.0.0.1:${port}${path}`, {
      method: options.method ?? 'GET',
      headers: { ...(bearer !== null && { authorization: `Bearer ${bearer}` }), ...options.headers },
      ...(options.body !== undefined && { body: options.body }),
      ...(options.signal && { signal: options.signal }),
    });
  };
}

/** Services with a gate each, born held; open afterwards where asked. */
export async function plantServices(sql: Sql, names: readonly string[], open: readonly string[] = []): Promise<void> {
  await applyServices(
    sql,
    names.map((name) => ({
      name,
      source: 'src',
      group: 'g',
      deviceRef: null,
      tunnelRef: null,
      tunnel: null,
      policyName: 'default',
      openAfterMs: 20_000,
      maxWaitMs: 120_000,
      verifyEveryMs: 5000,
      probeHash: 'planted',
    })),
  );
  for (const name of open) await setGate(sql, name, 'open');
}

/** Sets a gate's state by force, as no app would. */
export async function setGate(
  sql: Sql,
  service: string,
  state: 'open' | 'held' | 'releasing' | 'verifying',
): Promise<void> {
  const reason = state === 'open' || state === 'releasing' ? 'verified' : 'disconnected';
  await sql`update gate set state = ${state}, reason = ${reason}, since = clock_timestamp(),
              generation = generation + ${state === 'held' ? 1 : 0}
            where service_id = (select id from service where name = ${service})`;
}

/** A subject with its alias; answers its row id. */
export async function plantSubject(sql: Sql, alias: string, name: string | null = null): Promise<number> {
  const [row] = await sql<{ id: number }[]>`
    insert into subject (alias, type, group_name, fingerprint_version, fingerprint, name)
    values (${alias}, ${alias.startsWith('dev') ? 'device' : 'tunnel'}, 'g', 1, ${randomBytes(32)}, ${name}) returning id`;
  return row?.id ?? 0;
}
