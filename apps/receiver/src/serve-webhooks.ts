import type { AddressInfo } from 'node:net';
import type { AppContext } from '@tidegate/runtime';
import { listen } from './listen.ts';
import { createWebhookApp, type WebhookAppOptions } from './receive/webhook-app.ts';
import { createWebhookServer } from './receive/webhook-server.ts';
import { watchForClose } from './watch-for-close.ts';

const DEFAULT_PORT = 7411;
const DRAIN_MS = 3000;

/** The public listener, once it listens. */
export interface WebhookListener {
  readonly port: number;
  /** Lets requests under way be answered, and cuts off what takes longer than three seconds. */
  close(): Promise<void>;
}

/** Opens the public listener. Rejects as `server.listen` does. */
export async function serveWebhooks(
  context: Pick<AppContext, 'env' | 'log' | 'metrics'>,
  options: Omit<WebhookAppOptions, 'onReject'>,
): Promise<WebhookListener> {
  const { env, log, metrics } = context;
  const app = createWebhookApp({
    ...options,
    onReject(status, reason, source) {
      metrics.count('receive.requests', { outcome: reason });
      log.info('delivery.rejected', { status, reason, source });
    },
  });
  const server = createWebhookServer(app);
  server.on('request', (_request, response) => {
    const startedAtMs = performance.now();
    response.once('finish', () => metrics.observe('receive.duration', {}, (performance.now() - startedAtMs) / 1000));
  });
  const close = watchForClose(server);
  await listen(server, env.host, env.port ?? env.receiverPort ?? DEFAULT_PORT);
  const { port } = server.address() as AddressInfo;
  return { port, close: () => close(DRAIN_MS) };
}
