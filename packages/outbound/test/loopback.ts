import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterEach, vi } from 'vitest';
import { type AddressGuardOptions, createAddressGuard } from '../src/guard/address-guard.ts';
import type { SelfSigned } from './self-signed.ts';

/** A request as a server saw it, body included. */
export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface HttpFixture {
  readonly url: string;
  readonly port: number;
  readonly seen: SeenRequest[];
}

const started: Server[] = [];
const sockets = new Set<Socket>();
const closers: (() => Promise<void>)[] = [];

/** Runs at the end of the test, before the check that nothing stays open. */
export function onEnd(close: () => Promise<void>): void {
  closers.push(close);
}

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
  for (const server of started.splice(0)) {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
  sockets.clear();
  const check = () => {
    if (openHandles().length > 0) throw new Error(`still open: ${openHandles().join(', ')}`);
  };
  await vi.waitFor(check, { timeout: 5000, interval: 10 });
});

function openHandles(): string[] {
  const kinds = ['TCPSocketWrap', 'TLSWrap', 'TCPServerWrap', 'TCPConnectWrap', 'GetAddrInfoReqWrap'];
  return process.getActiveResourcesInfo().filter((kind) => kinds.includes(kind));
}

/** An HTTP server on a free loopback port; the handler runs when the whole body has been read. */
export async function startHttp(
  handle: (request: SeenRequest, response: ServerResponse) => void,
  host = '127.0.0.1',
): Promise<HttpFixture> {
  const seen: SeenRequest[] = [];
  const server = createHttpServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const one = { method, url, headers, body: Buffer.concat(chunks).toString('utf8') };
      seen.push(one);
      handle(one, response);
    });
  });
  const port = await listen(server, host);
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`, port, seen };
}

/** A raw TCP server on a free loopback port. */
export async function startTcp(onSocket: (socket: Socket) => void): Promise<{ url: string; port: number }> {
  const port = await listen(createTcpServer(onSocket), '127.0.0.1');
  return { url: `http://127.0.0.1:${port}`, port };
}

/** A TLS server that answers every request with 200 and closes. */
export async function startTls({ key, cert }: SelfSigned, onName: (name: string) => void): Promise<number> {
  const server = createTlsServer({ key, cert }, (socket) => {
    onName(typeof socket.servername === 'string' ? socket.servername : '');
    socket.on('error', () => {});
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'));
  });
  server.on('tlsClientError', () => {});
  return listen(server, '127.0.0.1');
}

/** A port on which nothing listens. */
export async function unusedPort(): Promise<number> {
  const server = createTcpServer();
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A guard that lets tests dial loopback. */
export function loopbackGuard(options: Partial<AddressGuardOptions> = {}) {
  return createAddressGuard({ allowPrivate: ['127.0.0.0/8'], denied: [], ...options });
}

async function listen(server: Server, host: string): Promise<number> {
  started.push(server);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return (server.address() as AddressInfo).port;
}
