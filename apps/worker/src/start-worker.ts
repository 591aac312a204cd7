import { AppError } from '@tidegate/core';
import { createQueue } from '@tidegate/queue';
import { type AppContext, loadConfig, type RunningApp, startAdminServer } from '@tidegate/runtime';
import { claimKeyring, connect, loadDataKey, migrate, ping, saveDataKey } from '@tidegate/store';
import { createSealer, loadKeyring } from '@tidegate/vault';
import { createOpener, loadOpeningKeyring } from '@tidegate/vault/open';
import { applyConfig } from './apply-config.ts';
import { openOutbound } from './open-outbound.ts';
import { runRooms } from './run-rooms.ts';
import type { WorkerContext } from './worker-context.ts';

const DEFAULT_ADMIN_PORT = 7414;

/** Starts the app that decides and dials out: the only one that can open what was sealed. */
export async function startWorker({ env, log, metrics }: AppContext): Promise<RunningApp> {
  if (env.databaseUrl === null) {
    throw new AppError({
      code: 'database_url_missing',
      publicMessage: 'DATABASE_URL is not set; `tidegate up` starts a database of its own.',
    });
  }
  const config = loadConfig({ file: env.configFile, app: 'worker' });
  const keyringDir = `${env.dataDir}/keyring`;
  const keyring = await loadKeyring(keyringDir);
  await migrate(env.databaseUrl);
  const sql = connect(env.databaseUrl, { application: 'worker', connections: 8 });
  await claimKeyring(sql, keyring.id);
  const sealer = createSealer({ keyring, saveDataKey: (row) => saveDataKey(sql, row), now: Date.now });
  const opener = createOpener({
    keyring: await loadOpeningKeyring(keyringDir),
    loadDataKey: (id) => loadDataKey(sql, id),
  });
  const queue = await createQueue({
    databaseUrl: env.databaseUrl,
    redisUrl: env.redisUrl,
    onError: ({ code, room }) => log.warn('queue.unavailable', { code, room }),
  });
  const outbound = openOutbound(config, env);
  const context: WorkerContext = {
    sql,
    config,
    keyring,
    sealer,
    opener,
    queue,
    log,
    metrics,
    random01: Math.random,
    ...outbound.clients,
  };
  await applyConfig(context, env.dataDir);
  const rooms = runRooms(context);
  const admin = await startAdminServer({
    host: '127.0.0.1',
    port: env.adminPort ?? DEFAULT_ADMIN_PORT,
    health: () => true,
    ready: () => ping(sql).then(() => true),
    metrics,
  });
  log.info('app.started', { adminPort: admin.port });
  return {
    ready: { adminPort: admin.port },
    close: [
      () => rooms.stop(() => outbound.close()),
      () => queue.close(),
      () => admin.close(),
      () => sql.end({ timeout: 3 }),
    ],
  };
}
