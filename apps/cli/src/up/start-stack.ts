import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type Config, type Log, type ReadyMessage, type SupervisedChild, superviseChild } from '@tidegate/runtime';
import { removeDatabaseSecret, writeDatabaseSecret } from './database-secret.ts';
import { type KeptPostgres, keepPostgres } from './keep-postgres.ts';
import { type PreparedStore, prepareStore } from './prepare-store.ts';
import type { UpSettings } from './up-settings.ts';
import { type ReadyFile, writeReadyFile } from './write-ready-file.ts';

export interface Stack {
  readonly keyringCreated: boolean;
  readonly ready: () => ReadyFile;
  /** Stops apps, then the database; bounded so that all is over within ten seconds. */
  stop(): Promise<void>;
}

export interface StackOptions {
  readonly settings: UpSettings;
  readonly config: Config;
  readonly log: Log;
  readonly parentPid: number;
  /** Told what is being done now, for a person. */
  readonly onStep: (step: string) => void;
  /** Where the apps' log lines go; this process's own streams when absent. */
  readonly outputFd?: number;
}

const APP_GRACE_MS = 6500;
const LOOPBACK = '127.0.0.1';

/** Starts the database, unless one is given, then receiver, api and worker as processes of their own. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { settings, log, onStep } = options;
  let postgres: KeptPostgres | null = null;
  const children: Partial<Record<'receiver' | 'api' | 'worker', SupervisedChild>> = {};
  let store: PreparedStore | null = null;
  const stop = async () => {
    await Promise.all(Object.values(children).map((child) => child.stop(APP_GRACE_MS)));
    await postgres?.stop();
    await removeDatabaseSecret(settings.dataDir);
    await rm(settings.readyFile, { force: true });
  };
  const rewrite = () => {
    if (
      store === null ||
      children.receiver === undefined ||
      children.api === undefined ||
      children.worker === undefined
    )
      return;
    writeReadyFile(settings.readyFile, describe()).catch((error: unknown) =>
      log.error('app.failed', { error, step: 'ready_file' }),
    );
  };
  const describe = (): ReadyFile => toReadyFile({ settings, parentPid: options.parentPid, children, postgres, store });

  try {
    if (settings.databaseUrl === null) {
      onStep('Starting the embedded database');
      postgres = await keepPostgres(settings.dataDir, log, rewrite);
      await writeDatabaseSecret(settings.dataDir, postgres.url);
    }
    const databaseUrl = settings.databaseUrl ?? postgres?.url ?? '';
    onStep('Preparing the schema and the keys');
    store = await prepareStore({ settings, config: options.config, databaseUrl, log });
    onStep('Starting receiver, api and worker');
    const start = (name: 'receiver' | 'api' | 'worker', env: Record<string, string>) =>
      superviseChild(
        { name, entry: entryOf(name), env: { ...commonEnv(settings, databaseUrl), ...env }, pin, ...outputOf(options) },
        log,
        rewrite,
      );
    // Settled, not raced: of two that start, the one that can must be known to be stopped when the other cannot.
    const [receiver, api] = await Promise.allSettled([
      start('receiver', { TIDEGATE_PORT: String(settings.receiverPort), TIDEGATE_ADMIN_PORT: '0' }),
      start('api', { TIDEGATE_PORT: String(settings.apiPort), TIDEGATE_ADMIN_PORT: '0' }),
    ]);
    if (receiver.status === 'fulfilled') children.receiver = receiver.value;
    if (api.status === 'fulfilled') children.api = api.value;
    if (receiver.status === 'rejected') throw receiver.reason;
    if (api.status === 'rejected') throw api.reason;
    // The worker is told both ports, so that no probe and no callback can be pointed at our own listeners.
    children.worker = await start('worker', {
      TIDEGATE_ADMIN_PORT: '0',
      TIDEGATE_RECEIVER_PORT: String(receiver.value.ready.port),
      TIDEGATE_API_PORT: String(api.value.ready.port),
    });
    await writeReadyFile(settings.readyFile, describe());
  } catch (error) {
    await stop();
    throw error;
  }
  return { ready: describe, keyringCreated: store.keyringCreated, stop };
}

function entryOf(name: string): string {
  return fileURLToPath(new URL(`../../../${name}/dist/main.js`, import.meta.url));
}

function outputOf({ outputFd }: StackOptions) {
  return outputFd === undefined ? {} : { outputFd };
}

function commonEnv(settings: UpSettings, databaseUrl: string): Record<string, string> {
  return {
    TIDEGATE_CONFIG: settings.configFile,
    TIDEGATE_DATA_DIR: settings.dataDir,
    DATABASE_URL: databaseUrl,
    REDIS_URL: settings.redisUrl ?? '',
  };
}

/** A restarted child must be found where its clients know it. */
function pin(ready: ReadyMessage): Record<string, string> {
  const { port, adminPort } = ready;
  return {
    ...(typeof port === 'number' && { TIDEGATE_PORT: String(port) }),
    ...(typeof adminPort === 'number' && { TIDEGATE_ADMIN_PORT: String(adminPort) }),
  };
}

interface StackParts {
  readonly settings: UpSettings;
  readonly parentPid: number;
  readonly children: Partial<Record<'receiver' | 'api' | 'worker', SupervisedChild>>;
  readonly postgres: KeptPostgres | null;
  readonly store: PreparedStore | null;
}

function toReadyFile({ settings, parentPid, children, postgres, store }: StackParts): ReadyFile {
  const receiverUrl = `http://${LOOPBACK}:${children.receiver?.ready.port ?? settings.receiverPort}`;
  const apiUrl = `http://${LOOPBACK}:${children.api?.ready.port ?? settings.apiPort}`;
  const adminUrl = (name: 'receiver' | 'api' | 'worker') => {
    const port = children[name]?.ready.adminPort;
    return typeof port === 'number' ? `http://${LOOPBACK}:${port}` : null;
  };
  return {
    receiverUrl,
    apiUrl,
    pageUrl: `${apiUrl}/`,
    adminKey: store?.adminKey ?? '',
    sources: (store?.sources ?? []).map(({ name, secret }) => ({
      name,
      webhookUrl: `${receiverUrl}/hooks/localtonet/${secret}`,
    })),
    pids: {
      parent: parentPid,
      receiver: children.receiver?.pid ?? null,
      api: children.api?.pid ?? null,
      worker: children.worker?.pid ?? null,
      postgres: postgres?.pid ?? null,
      redis: null,
    },
    adminUrls: { receiver: adminUrl('receiver'), api: adminUrl('api'), worker: adminUrl('worker') },
  };
}
