import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener, RequestError } from '@hono/node-server';
import type { Hono } from 'hono';
import { problem } from '../answer/problem.ts';
import type { ApiEnv } from '../api-context.ts';
import { answerBrokenRequest } from './answer-broken-request.ts';
import { watchConnections } from './watch-connections.ts';

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_MS = 30_000;

export interface Listener {
  readonly port: number;
  /** Takes no new connection, lets requests under way be answered for `drainMs`, then cuts what is left. */
  close(drainMs: number): Promise<void>;
}

/** Serves an app on a host and port (0: any). Rejects as `server.listen` does. */
export async function listen(app: Hono<ApiEnv>, host: string, port: number): Promise<Listener> {
  const server = createServer({
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: HEADERS_TIMEOUT_MS / 2,
    // A missing Host is answered below as everything else is, not by Node without a body.
    requireHostHeader: false,
  });
  const connections = watchConnections(server);
  server.on('request', getRequestListener(app.fetch, { errorHandler: answerUnusable }));
  server.on('clientError', answerBrokenRequest);
  server.listen(port, host);
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, close: connections.close };
}

/** A request that no URL can be made of, as one without a host; or a failure past our own handler. */
function answerUnusable(error: unknown): Response {
  if (error instanceof RequestError) {
    return problem({ status: 400, code: 'malformed_request', detail: 'The request names no usable host and path.' });
  }
  return problem({ status: 500, code: 'internal', detail: 'Something went wrong here; it was noted.' });
}
