import { createAdaptorServer, type ServerType } from '@hono/node-server';
import type { WebhookApp } from './webhook-app.ts';

/** The HTTP server of the public listener, not yet listening; slow senders are cut off by time, long headers by size. */
export function createWebhookServer(app: WebhookApp): ServerType {
  return createAdaptorServer({
    fetch: app.fetch,
    serverOptions: {
      requestTimeout: 15_000,
      headersTimeout: 10_000,
      maxHeaderSize: 16 * 1024,
      keepAliveTimeout: 30_000,
    },
  });
}
