import { createServer, type Server } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { WebhookApp } from './webhook-app.ts';

const LIMITS = { requestTimeout: 15_000, headersTimeout: 10_000, maxHeaderSize: 16 * 1024, keepAliveTimeout: 30_000 };

/** The HTTP server of the public listener, not yet listening; slow senders are cut off by time, long headers by size. */
export function createWebhookServer(app: WebhookApp): Server {
  // A target that is no URL never reaches the app: answered as an unknown path is, or it would tell one refusal from another.
  return createServer(LIMITS, getRequestListener(app.fetch, { errorHandler: () => app.request('/') }));
}
