import type { AddressInfo } from 'node:net';
import { AppError } from '@tidegate/core';
import { createQueue } from '@tidegate/queue';
import { type AppContext, errorCode, type Log, loadConfig, type RunningApp, startAdminServer } from '@tidegate/runtime';
import { addSourceCounts, claimKeyring, connect, migrate, ping, type Sql, saveDataKey } from '@tidegate/store';
import { createSealer } from '@tidegate/vault';
import { listen } from './listen.ts';
import { createHoldingLimit } from './receive/holding-limit.ts';
import { createAddressJudge } from './receive/judge-address.ts';
import { createWebhookApp, type WebhookAppOptions } from './receive/webhook-app.ts';
import { createWebhookServer } from './receive/webhook-server.ts';
import { createIntake } from './record/create-intake.ts';
import { applyConfiguredSources } from './source/apply-configured-sources.ts';
import { createSourceDirectory, type SourceDirectory } from './source/source-directory.ts';
import { createSourceTally, type SourceTally } from './source/source-tally.ts';
import { watchForClose } from './watch-for-close.ts';
import { watchKeys } from './watch-keys.ts';

const DEFAULT_PORT = 7411;
const DEFAULT_ADMIN_PORT = 7413;
const REFRESH_SOURCES_MS = 5000;
const TALLY_MS = 2000;
const DRAIN_MS = 3000;

/** Starts the internet-facing app: it seals and records, and holds no key that opens anything. */
export async function startReceiver(context: AppContext): Promise<RunningApp> {
  const { env, log, metrics } = context;
  if (env.databaseUrl === null) throw databaseUrlMissing();
  const config = loadConfig({ file: env.configFile, app: 'receiver' });
  const keys = await watchKeys(`${env.dataDir}/keyring`, log);
  const { keyring } = keys;
  await migrate(env.databaseUrl);
  const sql = connect(env.databaseUrl, { application: 'receiver', connections: 4 });
  await claimKeyring(sql, keyring.id);
  const sealer = createSealer({ keyring, saveDataKey: (row) => saveDataKey(sql, row), now: Date.now });
  await sealer.ready();
  await applyConfiguredSources(sql, keyring, config, env.dataDir);

  const queue = await createQueue({
    databaseUrl: env.databaseUrl,
    redisUrl: env.redisUrl,
    onError: ({ code, room }) => log.warn('queue.unavailable', { code, room }),
  });
  const sources = await createSourceDirectory(sql, keyring);
  const refreshing = keepFresh(sources, log);
  const { tally, stopTally } = keepTally(sql, log);
  const intake = createIntake({ sql, keyring, sealer, queue, config, log, metrics });
  const app = createWebhookApp({
    intake,
    sources,
    tally,
    mayPost: createAddressJudge(config.receiver),
    limit: createHoldingLimit(config.receiver.rateLimit, { sql, queue, log }),
    onReject: noteRejection(context),
  });
  const server = createWebhookServer(app);
  const closeServer = watchForClose(server);
  await listen(server, env.host, env.port ?? env.receiverPort ?? DEFAULT_PORT);
  const { port } = server.address() as AddressInfo;
  const admin = await startAdminServer({
    host: '127.0.0.1',
    port: env.adminPort ?? DEFAULT_ADMIN_PORT,
    health: () => true,
    ready: () => ping(sql).then(() => true),
    metrics,
  });
  log.info('app.started', { host: env.host, port, adminPort: admin.port });
  return {
    ready: { port, adminPort: admin.port },
    close: [
      () => closeServer(DRAIN_MS),
      () => intake.committer.drained(),
      () => clearInterval(refreshing),
      () => stopTally(),
      () => keys.stop(),
      () => queue.close(),
      () => admin.close(),
      () => sql.end({ timeout: 3 }),
    ],
  };
}

function databaseUrlMissing(): AppError {
  return new AppError({
    code: 'database_url_missing',
    publicMessage: 'DATABASE_URL is not set; `tidegate up` starts a database of its own.',
  });
}

function keepFresh(sources: SourceDirectory, log: Log): NodeJS.Timeout {
  const warn = (error: unknown) =>
    log.warn('store.unavailable', { operation: 'refresh_sources', code: errorCode(error) });
  return setInterval(() => void sources.refresh().catch(warn), REFRESH_SOURCES_MS);
}

/** Writes the counts of sources down now and then, and the last of them at the stop. */
function keepTally(sql: Sql, log: Log): { tally: SourceTally; stopTally(): Promise<void> } {
  const tally = createSourceTally((counts) => addSourceCounts(sql, counts), Date.now);
  const warn = (error: unknown) =>
    log.warn('store.unavailable', { operation: 'count_sources', code: errorCode(error) });
  const timer = setInterval(() => void tally.flush().catch(warn), TALLY_MS);
  return {
    tally,
    stopTally() {
      clearInterval(timer);
      return tally.flush();
    },
  };
}

function noteRejection({ metrics, log }: AppContext): WebhookAppOptions['onReject'] {
  return (status, reason, source) => {
    metrics.count('receive.requests', { outcome: reason });
    log.info('delivery.rejected', { status, reason, source });
  };
}
