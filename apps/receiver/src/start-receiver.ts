import { AppError } from '@tidegate/core';
import { createQueue } from '@tidegate/queue';
import { type AppContext, loadConfig, type RunningApp, startAdminServer } from '@tidegate/runtime';
import { connect, expectReceiver, ping, saveDataKey } from '@tidegate/store';
import { createSealer } from '@tidegate/vault';
import { openReceiverFolder } from './heartbeat/open-receiver-folder.ts';
import { startBeating } from './heartbeat/start-beating.ts';
import { createPreparation } from './prepare-in-time.ts';
import { prepareStore } from './prepare-store.ts';
import { createHoldingLimit } from './receive/holding-limit.ts';
import { createAddressJudge } from './receive/judge-address.ts';
import type { Intake } from './receive/receive-delivery.ts';
import { createIntake } from './record/create-intake.ts';
import { serveWebhooks } from './serve-webhooks.ts';
import { keepSourcesFresh } from './source/keep-sources-fresh.ts';
import { keepTally } from './source/keep-tally.ts';
import { createSourceDirectory } from './source/source-directory.ts';
import type { Recorder } from './spool/create-recorder.ts';
import { createDataKeys } from './spool/data-keys.ts';
import { watchKeys } from './watch-keys.ts';

const DEFAULT_ADMIN_PORT = 7413;
const SETTLE_MS = 1000;

/**
 * Starts the internet-facing app: it seals and records, and holds no key that opens anything. While the store is away it
 * starts on what it remembers of its sources, and spools.
 */
export async function startReceiver(context: AppContext): Promise<RunningApp> {
  const { env, log, metrics } = context;
  const { databaseUrl, redisUrl } = env;
  if (databaseUrl === null) throw noDatabaseUrl();
  const config = loadConfig({ file: env.configFile, app: 'receiver' });
  const keys = await watchKeys(`${env.dataDir}/keyring`, log);
  const { keyring } = keys;
  const { lock, spool, receiverId, sourceMemory } = await openReceiverFolder(env.dataDir);
  const sql = connect(databaseUrl, { application: 'receiver', connections: 4 });
  const preparation = createPreparation(() =>
    prepareStore({ databaseUrl, sql, keyring, config, dataDir: env.dataDir }),
  );
  const remembered = await preparation.orRemember(sourceMemory.loadInstead);
  const dataKeys = createDataKeys((row) => saveDataKey(sql, row));
  const sealer = createSealer({ keyring, saveDataKey: dataKeys.save, now: Date.now });
  await sealer.ready();

  const queue = await createQueue({
    databaseUrl,
    redisUrl,
    onError: ({ code, room }) => log.warn('queue.unavailable', { code, room }),
  });
  const sources = await createSourceDirectory(sql, keyring, { remembered, save: sourceMemory.save });
  const refreshing = keepSourcesFresh(sources, log);
  const { tally, stopTally } = keepTally(sql, log);
  const { intake, recorder } = createIntake({
    ...{ sql, keyring, sealer, dataKeys, queue, config, spool, log, metrics },
    prepare: () => preparation.inTime().then(() => sources.refresh()),
    prepared: remembered === null,
    expect: () => expectReceiver(sql, receiverId, config.receiver.silentAfterMs),
  });
  const beating = await startBeating({ sql, recorder, receiverId, context });
  const mayPost = createAddressJudge(config.receiver);
  const limit = createHoldingLimit(config.receiver.rateLimit, { sql, queue, log });
  const { port, close: closeServer } = await serveWebhooks(context, { intake, sources, tally, mayPost, limit });
  const admin = await startAdminServer({
    host: '127.0.0.1',
    port: env.adminPort ?? DEFAULT_ADMIN_PORT,
    health: () => true,
    ready: () => recorder.isWhole() && ping(sql).then(() => true),
    metrics,
  });
  log.info('app.started', { host: env.host, port, adminPort: admin.port });
  return {
    ready: { port, adminPort: admin.port },
    close: [
      () => closeServer(),
      () => settleCommits(intake, recorder),
      () => beating.stop(),
      () => spool.close(),
      () => clearInterval(refreshing),
      () => stopTally(),
      () => keys.stop(),
      () => queue.close(),
      () => admin.close(),
      () => sql.end({ timeout: 3 }),
      () => lock.release(),
    ],
  };
}

/** Deliveries whose senders were cut off: what the store does not take in time is left in the spool for the next start. */
async function settleCommits({ committer }: Intake, recorder: Recorder): Promise<void> {
  const timer = setTimeout(recorder.hurry, SETTLE_MS);
  await committer.drained();
  clearTimeout(timer);
}

function noDatabaseUrl(): AppError {
  return new AppError({
    code: 'database_url_missing',
    publicMessage: 'DATABASE_URL is not set; `tidegate up` starts a database of its own.',
  });
}
