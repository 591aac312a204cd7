import { mkdir, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startEmbeddedPostgres } from '@tidegate/embedded';
import { applyServices, connect, type Sql } from '@tidegate/store';
import { createKeyring, fingerprintSubject, loadKeyring, newAlias, newPathSecret } from '@tidegate/vault';
import { type StartedServer, startServer } from './start-server.ts';
import { LINKED_TUNNEL } from './webhook-bodies.ts';

const GROUP = 'bench';
const SERVICE = 'bench-service';

export interface Targets {
  readonly receiver: StartedServer;
  readonly oneTransaction: StartedServer;
  readonly echo: StartedServer;
  readonly postgresPid: number;
  /** The path of the webhook, its secret included. */
  readonly hookPath: string;
  readonly sql: Sql;
  stop(): Promise<void>;
}

/** Starts a Postgres of our own with fsync on, and on it the receiver, its one-transaction variant, and the echo beside them. */
export async function startTargets(): Promise<Targets> {
  const folder = await mkdtemp(join(tmpdir(), 'tidegate-bench-'));
  const closing: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
  const stop = async () => {
    for (const close of closing.splice(0).reverse()) await close();
  };
  try {
    const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'postgres') });
    closing.push(() => postgres.stop());
    const log = await open(join(folder, 'log'), 'a');
    closing.push(() => log.close());
    const { secret, env } = await prepareFolder(folder, postgres.url);
    const start = async (args: readonly string[]) => {
      const server = await startServer(args, env, log.fd);
      closing.push(() => server.stop());
      return server;
    };
    const receiver = await start([fileURLToPath(new URL('../../../apps/receiver/dist/main.js', import.meta.url))]);
    const sql = connect(postgres.url, { application: 'bench', connections: 1 });
    closing.push(() => sql.end({ timeout: 3 }));
    await linkService(sql, `${folder}/keyring`);
    const oneTransaction = await start(typescript('./one-transaction-server.ts'));
    const echo = await start(typescript('./echo-server.ts'));
    const hookPath = `/hooks/localtonet/${secret}`;
    return { receiver, oneTransaction, echo, postgresPid: postgres.pid, hookPath, sql, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function typescript(path: string): string[] {
  return ['--import', import.meta.resolve('tsx'), fileURLToPath(new URL(path, import.meta.url))];
}

async function prepareFolder(folder: string, databaseUrl: string) {
  const secret = newPathSecret();
  const config = join(folder, 'tidegate.yaml');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await createKeyring(join(folder, 'keyring'));
  const source = { name: GROUP, group: GROUP, timeZone: 'UTC', watch: 'all', secret };
  await writeFile(config, JSON.stringify({ sources: [source] }), { mode: 0o600 });
  const env = {
    TIDEGATE_CONFIG: config,
    TIDEGATE_DATA_DIR: folder,
    TIDEGATE_PORT: '0',
    TIDEGATE_ADMIN_PORT: '0',
    DATABASE_URL: databaseUrl,
    REDIS_URL: '',
    LOG_LEVEL: 'info',
  };
  return { secret, env };
}

/** One service on one of the tunnels, so that recording moves a gate as well. */
async function linkService(sql: Sql, keyringDir: string): Promise<void> {
  const keyring = await loadKeyring(keyringDir);
  const tunnel = { group: GROUP, type: 'tunnel', id: LINKED_TUNNEL } as const;
  await applyServices(sql, [
    {
      name: SERVICE,
      source: GROUP,
      group: GROUP,
      deviceRef: null,
      tunnelRef: LINKED_TUNNEL,
      tunnel: {
        group: GROUP,
        type: 'tunnel',
        fingerprint: fingerprintSubject(keyring, tunnel),
        alias: newAlias('tun'),
        publicId: LINKED_TUNNEL,
        sealedId: null,
      },
      policyName: 'default',
      openAfterMs: 20_000,
      maxWaitMs: 120_000,
      verifyEveryMs: 5000,
      probeHash: GROUP,
    },
  ]);
}
