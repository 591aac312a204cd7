import { AppError } from '@tidegate/core';
import { createQueue } from '@tidegate/queue';
import { type AppContext, type Config, loadConfig, type RunningApp, startAdminServer } from '@tidegate/runtime';
import { claimKeyring, connect, migrate } from '@tidegate/store';
import type { ApiContext } from './api-context.ts';
import { serveApi } from './serve-api.ts';
import { listProbes } from './service/list-probes.ts';
import { watchKeys } from './watch-keys.ts';

const DEFAULT_PORT = 7412;
const DEFAULT_ADMIN_PORT = 7415;

/** Starts the app that people and agent hosts ask: it can seal what they hand over, and open nothing. */
export async function startApi({ env, log, metrics }: AppContext): Promise<RunningApp> {
  const { databaseUrl, redisUrl } = env;
  if (databaseUrl === null) {
    throw new AppError({
      code: 'database_url_missing',
      publicMessage: 'DATABASE_URL is not set; `tidegate up` starts a database of its own.',
    });
  }
  const config = loadConfig({ file: env.configFile, app: 'api' });
  const keys = await watchKeys(`${env.dataDir}/keyring`, log);
  const { keyring } = keys;
  await migrate(databaseUrl);
  const sql = connect(databaseUrl, { application: 'api' });
  await claimKeyring(sql, keyring.id);
  const queue = await createQueue({
    databaseUrl,
    redisUrl,
    onError: ({ code, room }) => log.warn('queue.unavailable', { code, room }),
  });
  const wakeRelease = () => {
    const alarm = queue.publish([{ room: 'release', dueAtMs: Date.now() }]);
    // The row is committed: the sweeper finds it if the alarm is lost.
    alarm.catch((error: unknown) => log.warn('queue.unavailable', { room: 'release', error }));
  };
  const api = await serveApi({
    sql,
    keyring,
    callbackOrigins: listOrigins(config),
    probes: listProbes(config),
    pageUrl: config.notify.pageUrl,
    silentAfterMs: config.receiver.silentAfterMs,
    wakeRelease,
    log,
    metrics,
    host: env.host,
    port: env.port ?? env.apiPort ?? DEFAULT_PORT,
  });
  const admin = await startAdminServer({
    host: '127.0.0.1',
    port: env.adminPort ?? DEFAULT_ADMIN_PORT,
    health: () => true,
    ready: () => api.ready(),
    metrics,
  });
  log.info('app.started', { host: env.host, port: api.port, adminPort: admin.port });
  return {
    ready: { port: api.port, adminPort: admin.port },
    close: [
      () => api.close(),
      () => keys.stop(),
      () => queue.close(),
      () => admin.close(),
      () => sql.end({ timeout: 3 }),
    ],
  };
}

/** The configured destinations of each service that names any, as the URL parser writes an origin. */
function listOrigins(config: Config): ApiContext['callbackOrigins'] {
  const limited = config.services.filter(({ callbackOrigins }) => callbackOrigins.length > 0);
  return new Map(
    limited.map(({ name, callbackOrigins }) => [name, new Set(callbackOrigins.map((text) => new URL(text).origin))]),
  );
}
