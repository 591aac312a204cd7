import { fileURLToPath } from 'node:url';
import { type Log, type ReadyMessage, type SupervisedChild, superviseChild } from '@tidegate/runtime';
import type { UpSettings } from './up-settings.ts';

type AppName = 'receiver' | 'api' | 'worker';

/** The apps that run, filled in as each is ready: whoever has to stop them after a failed start finds those that started. */
export type AppChildren = Partial<Record<AppName, SupervisedChild>>;

/** Starts receiver and api, then the worker, each as a process of its own that is kept running. */
export async function startApps(options: {
  settings: UpSettings;
  databaseUrl: string;
  log: Log;
  outputFd?: number;
  signal: AbortSignal;
  children: AppChildren;
  onRestart: () => void;
}): Promise<void> {
  const { settings, databaseUrl, log, outputFd, signal, children, onRestart } = options;
  const start = (name: AppName, env: Record<string, string>) =>
    superviseChild(
      {
        name,
        entry: entryOf(name),
        env: { ...commonEnv(settings, databaseUrl), ...env },
        pin,
        signal,
        ...(outputFd === undefined ? {} : { outputFd }),
      },
      log,
      onRestart,
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
  signal.throwIfAborted();
  // The worker is told both ports, so that no probe and no callback can be pointed at our own listeners.
  children.worker = await start('worker', {
    TIDEGATE_ADMIN_PORT: '0',
    TIDEGATE_RECEIVER_PORT: String(receiver.value.ready.port),
    TIDEGATE_API_PORT: String(api.value.ready.port),
  });
}

function entryOf(name: AppName): string {
  return fileURLToPath(new URL(`../../../${name}/dist/main.js`, import.meta.url));
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
