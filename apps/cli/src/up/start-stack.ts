import { rm } from 'node:fs/promises';
import type { Config, Log } from '@tidegate/runtime';
import { removeDatabaseSecret, writeDatabaseSecret } from './database-secret.ts';
import { type KeptPostgres, keepPostgres } from './keep-postgres.ts';
import { type PreparedStore, prepareStore, takeSourceSecrets } from './prepare-store.ts';
import { type AppChildren, startApps } from './start-apps.ts';
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
  /** Ends a start that is under way. */
  readonly signal: AbortSignal;
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
  const children: AppChildren = {};
  let store: PreparedStore | null = null;
  let wroteReadyFile = false;
  let rewriting: Promise<void> = Promise.resolve();
  const stop = async () => {
    await Promise.all(Object.values(children).map((child) => child.stop(APP_GRACE_MS)));
    if (postgres !== null) {
      await postgres.stop();
      await removeDatabaseSecret(settings.dataDir);
    }
    await rewriting;
    // Not one of another Tidegate, which runs on this folder and is why this one was refused.
    if (wroteReadyFile) await rm(settings.readyFile, { force: true });
  };
  const rewrite = () => {
    if (
      store === null ||
      children.receiver === undefined ||
      children.api === undefined ||
      children.worker === undefined
    )
      return;
    // One after the other, each as things are when it is its turn: a late writer must not put back an older state.
    rewriting = rewriting
      .then(async () => {
        if (store !== null) store = await renewSources(store, options);
        await writeReadyFile(settings.readyFile, describe());
      })
      .catch((error: unknown) => log.error('app.failed', { error, step: 'ready_file' }));
  };
  const describe = (): ReadyFile => toReadyFile({ settings, parentPid: options.parentPid, children, postgres, store });

  try {
    if (settings.databaseUrl === null) {
      onStep('Starting the embedded database');
      postgres = await keepPostgres(settings.dataDir, log, rewrite);
      await writeDatabaseSecret(settings.dataDir, postgres.url);
      // The folder is ours alone now, so this is what a killed parent left: it names processes that are gone.
      await rm(settings.readyFile, { force: true }).catch(() => undefined);
    }
    options.signal.throwIfAborted();
    const databaseUrl = settings.databaseUrl ?? postgres?.url ?? '';
    onStep('Preparing the schema and the keys');
    store = await prepareStore({ settings, config: options.config, databaseUrl, log });
    options.signal.throwIfAborted();
    onStep('Starting receiver, api and worker');
    await startApps({ ...options, databaseUrl, children, onRestart: rewrite });
    await writeReadyFile(settings.readyFile, describe());
    wroteReadyFile = true;
  } catch (error) {
    await stop();
    throw error;
  }
  return { ready: describe, keyringCreated: store.keyringCreated, stop };
}

/** A source may have been rotated since; a secret that cannot be read must not keep the rest out of the ready file. */
async function renewSources(store: PreparedStore, { config, settings }: StackOptions): Promise<PreparedStore> {
  const sources = await takeSourceSecrets(config, settings.dataDir).catch(() => store.sources);
  return { ...store, sources };
}

interface StackParts {
  readonly settings: UpSettings;
  readonly parentPid: number;
  readonly children: AppChildren;
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
