import {
  createAddressGuard,
  createCallbackSender,
  createLocaltonetClient,
  createNotifier,
  createPinger,
  createProbeClient,
  createStatusClient,
} from '@tidegate/outbound';
import type { Config, ProcessEnv } from '@tidegate/runtime';
import { listSecrets } from './notify/list-secrets.ts';
import type { WorkerContext } from './worker-context.ts';

const API_TIMEOUT_MS = 10_000;
/** A list of a hundred thousand tunnels, which the API gives in one answer. */
const MAX_LIST_BYTES = 48 * 1024 * 1024;
const POSTGRES_PORT = 5432;
const REDIS_PORT = 6379;
/** Where our listeners are unless told otherwise. */
const RECEIVER_PORT = 7411;
const API_PORT = 7412;
const ADMIN_PORTS = [7413, 7414, 7415];

export interface Outbound {
  readonly clients: Pick<WorkerContext, 'probes' | 'localtonet' | 'callbacks' | 'statuses' | 'notifier' | 'pinger'>;
  close(): Promise<void>;
}

/** Opens the clients that dial out, each behind its own guard. Our own listeners and stores are refused to all of them. */
export function openOutbound(config: Config, env: ProcessEnv): Outbound {
  const denied = ownEndpoints(env);
  const probeGuard = createAddressGuard({ allowPrivate: config.outbound.probes.allowPrivate, denied });
  const callbackGuard = createAddressGuard({ allowPrivate: config.outbound.callbacks.allowPrivate, denied });
  const probes = createProbeClient({ guard: probeGuard });
  const callbacks = createCallbackSender({ guard: callbackGuard });
  const statuses = createStatusClient({ guard: callbackGuard });
  const notifyGuard = createAddressGuard({ allowPrivate: config.notify.allowPrivate, denied });
  const notifier = createNotifier({ guard: notifyGuard, secrets: listSecrets(config) });
  // It tells people too, so it goes where notifications may go.
  const pinger = createPinger({ guard: notifyGuard });
  const account = config.localtonet;
  const localtonet =
    account === null || account.apiKey === null
      ? null
      : createLocaltonetClient({
          baseUrl: account.baseUrl,
          apiKey: account.apiKey,
          timeoutMs: API_TIMEOUT_MS,
          maxAnswerBytes: MAX_LIST_BYTES,
          guard: probeGuard,
        });
  return {
    clients: { probes, callbacks, statuses, notifier, pinger, localtonet },
    close: async () => {
      const open = [probes, callbacks, statuses, notifier, pinger, localtonet];
      await Promise.all(open.map((client) => client?.close()));
    },
  };
}

function ownEndpoints(env: ProcessEnv): { host: string; port: number }[] {
  const stores = [
    { url: env.databaseUrl, port: POSTGRES_PORT },
    { url: env.redisUrl, port: REDIS_PORT },
  ];
  const own = [env.receiverPort ?? RECEIVER_PORT, env.apiPort ?? API_PORT, env.adminPort, ...ADMIN_PORTS];
  const listeners = own.flatMap((port) => (port === null || port === 0 ? [] : [{ host: env.host, port }]));
  return [
    ...listeners,
    ...stores.flatMap(({ url, port }) => {
      if (url === null || !URL.canParse(url)) return [];
      const parsed = new URL(url);
      return [{ host: parsed.hostname, port: Number(parsed.port) || port }];
    }),
  ];
}
