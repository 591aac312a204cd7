import { AppError } from '@tidegate/core';
import { createQueue } from '@tidegate/queue';
import {
  type AppContext,
  type Log,
  loadConfig,
  type ProcessEnv,
  type RunningApp,
  startAdminServer,
} from '@tidegate/runtime';
import { claimKeyring, connect, migrate, ping } from '@tidegate/store';
import { applyConfig } from './apply-config.ts';
import { watchDeadMan } from './dead-man/watch-dead-man.ts';
import { watchHands } from './hand/watch-hands.ts';
import { openOutbound } from './open-outbound.ts';
import { openVault } from './open-vault.ts';
import { beginCounters } from './overview/begin-counters.ts';
import { watchReceivers } from './receiver/watch-receivers.ts';
import { watchRetention } from './retention/watch-retention.ts';
import { runRooms } from './run-rooms.ts';
import { openTraces } from './trace/open-traces.ts';
import { traceCallbacks } from './trace/trace-callbacks.ts';
import { watchKeys } from './watch-keys.ts';
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
  const keys = await watchKeys(keyringDir, log);
  const { keyring } = keys;
  await migrate(env.databaseUrl);
  const sql = connect(env.databaseUrl, { application: 'worker', connections: 8 });
  await claimKeyring(sql, keyring.id);
  const vault = openVault(sql, keys, log);
  const queue = await openQueue(env, log);
  const outbound = openOutbound(config, env);
  const traces = openTraces({ sql, config, log, metrics });
  const context: WorkerContext = {
    sql,
    config,
    keyring,
    sealer: vault.sealer,
    opener: vault.opener,
    queue,
    log,
    metrics,
    random01: Math.random,
    traces,
    ...outbound.clients,
    callbacks: traceCallbacks(outbound.clients.callbacks, traces),
  };
  beginCounters(context);
  await applyConfig(context, env.dataDir);
  const rooms = runRooms(context);
  const deadMan = watchDeadMan(context, rooms);
  const watchers = [watchHands(context), watchReceivers(context), watchRetention(context)];
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
      () => deadMan.stop(),
      () => rooms.stop(() => outbound.close()),
      () => traces.close(),
      ...watchers.map((watcher) => () => watcher.stop()),
      () => vault.stop(),
      () => queue.close(),
      () => admin.close(),
      () => sql.end({ timeout: 3 }),
    ],
  };
}

function openQueue({ databaseUrl, redisUrl }: ProcessEnv, log: Log) {
  const onError = ({ code, room }: { code: string; room: string | null }) =>
    log.warn('queue.unavailable', { code, room });
  return createQueue({ databaseUrl: databaseUrl ?? '', redisUrl, onError });
}
