import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@tidegate/embedded';
import { applyServices, connect, createApiKey, migrate, type Sql } from '@tidegate/store';
import {
  createKeyring,
  fingerprintSubject,
  loadKeyring,
  lookupHash,
  newAlias,
  newApiKey,
  newId,
  newPathSecret,
} from '@tidegate/vault';
import { type ServerOptions, type StartedServer, startServer } from './start-server.ts';

/** Name of the one source, its group and its service. */
export const NAME = 'bench';

/** Everything servers under test need, in a temp folder: a Postgres with fsync on, a keyring, a config with one source. */
export interface Bed {
  readonly sql: Sql;
  readonly databaseUrl: string;
  readonly postgresPid: number;
  /** The path of the source's webhook, its secret included. */
  readonly hookPath: string;
  start(entry: ServerOptions['entry'], nodeArgs?: readonly string[]): Promise<StartedServer>;
  /** Makes a service that depends on one tunnel of the source. */
  linkService(tunnelId: string): Promise<void>;
  /** An API key that may read gates. */
  makeGateKey(): Promise<string>;
  /** Stops the servers, then Postgres, and removes the folder. */
  close(): Promise<void>;
}

/** Makes a bed. What the servers print is told when one of them does not start. */
export async function startBed(): Promise<Bed> {
  const folder = await mkdtemp(join(tmpdir(), 'tidegate-bench-'));
  const closing: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
  const close = async () => {
    for (const step of closing.splice(0).reverse()) await step();
  };
  try {
    const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres') });
    closing.push(() => postgres.stop());
    const log = await open(join(folder, 'log'), 'a');
    closing.push(() => log.close());
    const { secret, env } = await prepareFolder(folder, postgres.url);
    await migrate(postgres.url);
    const sql = connect(postgres.url, { application: 'bench', connections: 1 });
    closing.push(() => sql.end({ timeout: 3 }));
    return {
      sql,
      databaseUrl: postgres.url,
      postgresPid: postgres.pid,
      hookPath: `/hooks/localtonet/${secret}`,
      linkService: (tunnelId) => linkService(sql, `${folder}/keyring`, tunnelId),
      makeGateKey: () => makeGateKey(sql, `${folder}/keyring`),
      close,
      async start(entry, nodeArgs = []) {
        const server = await startServer({ entry, nodeArgs, env, logFd: log.fd }).catch(async (error: Error) => {
          const printed = await readFile(join(folder, 'log'), 'utf8');
          throw new Error(`${error.message}:\n${printed.slice(-2000)}`);
        });
        closing.push(() => server.stop());
        return server;
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function prepareFolder(folder: string, databaseUrl: string) {
  const secret = newPathSecret();
  const config = join(folder, 'tidegate.yaml');
  await createKeyring(join(folder, 'keyring'));
  const source = { name: NAME, group: NAME, timeZone: 'UTC', watch: 'all', secret };
  await writeFile(config, JSON.stringify({ sources: [source] }), { mode: 0o600 });
  const env = {
    TIDEGATE_CONFIG: config,
    TIDEGATE_DATA_DIR: folder,
    TIDEGATE_HOST: '127.0.0.1',
    TIDEGATE_PORT: '0',
    TIDEGATE_ADMIN_PORT: '0',
    DATABASE_URL: databaseUrl,
    REDIS_URL: '',
    LOG_LEVEL: 'info',
  };
  return { secret, env };
}

async function linkService(sql: Sql, keyringDir: string, tunnelId: string): Promise<void> {
  const keyring = await loadKeyring(keyringDir);
  const subject = { group: NAME, type: 'tunnel', id: tunnelId } as const;
  await applyServices(sql, [
    {
      name: NAME,
      source: NAME,
      group: NAME,
      deviceRef: null,
      tunnelRef: tunnelId,
      tunnel: {
        group: NAME,
        type: 'tunnel',
        fingerprint: fingerprintSubject(keyring, subject),
        alias: newAlias('tun'),
        publicId: tunnelId,
        sealedId: null,
      },
      policyName: 'default',
      openAfterMs: 20_000,
      maxWaitMs: 120_000,
      verifyEveryMs: 5000,
      probeHash: NAME,
    },
  ]);
}

async function makeGateKey(sql: Sql, keyringDir: string): Promise<string> {
  const key = newApiKey();
  const hash = lookupHash(await loadKeyring(keyringDir), 'api-key', key);
  await createApiKey(sql, {
    id: newId('key'),
    name: NAME,
    lookupHash: hash,
    scopes: ['gate:read'],
    services: null,
    expiresAt: null,
  });
  return key;
}
