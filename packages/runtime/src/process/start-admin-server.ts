import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Metrics } from '../metrics/create-metrics.ts';

const CHECK_TIMEOUT_MS = 2000;

export interface AdminServerOptions {
  readonly host: string;
  /** 0 = any free port. */
  readonly port: number;
  /** Whether the process works at all; a failure or two seconds without an answer count as no. */
  readonly health: () => boolean | Promise<boolean>;
  /** Whether it can serve now. */
  readonly ready: () => boolean | Promise<boolean>;
  readonly metrics: Metrics;
}

export interface AdminServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Serves `/healthz`, `/readyz` and `/metrics`, and one same 404 for all else. Rejects as `server.listen` does. */
export async function startAdminServer(options: AdminServerOptions): Promise<AdminServer> {
  const server = createServer({ requestTimeout: 5000, headersTimeout: 5000 }, (request, response) => {
    request.resume();
    const reading = request.method === 'GET' || request.method === 'HEAD';
    answer(options, reading ? (request.url ?? '') : '', response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { port, close };
}

async function answer(options: AdminServerOptions, url: string, response: ServerResponse): Promise<void> {
  switch (url) {
    case '/healthz':
      return sendCheck(response, await passes(options.health));
    case '/readyz':
      return sendCheck(response, await passes(options.ready));
    case '/metrics':
      return send(response, 200, options.metrics.contentType, await options.metrics.text());
    default:
      return send(response, 404, 'text/plain; charset=utf-8', 'Not found\n');
  }
}

function sendCheck(response: ServerResponse, passed: boolean): void {
  send(response, passed ? 200 : 503, 'text/plain; charset=utf-8', passed ? 'ok\n' : 'unavailable\n');
}

function send(response: ServerResponse, status: number, contentType: string, body: string): void {
  response.writeHead(status, { 'content-type': contentType, 'cache-control': 'no-store' });
  response.end(body);
}

async function passes(check: () => boolean | Promise<boolean>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), CHECK_TIMEOUT_MS);
  });
  try {
    return await Promise.race([Promise.resolve(check()), late]);
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}
