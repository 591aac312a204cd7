import { connect, type Socket } from 'node:net';

export interface LoadOptions {
  readonly port: number;
  readonly connections: number;
  readonly durationMs: number;
  /** The whole text of the next request, in ASCII; see `createRequest`. */
  readonly nextRequest: () => string;
  readonly signal: AbortSignal;
}

export interface LoadResult {
  readonly answered: number;
  /** Answers that were no 2xx. */
  readonly refused: number;
  readonly seconds: number;
  /** Sorted ascending. */
  readonly latenciesMs: Float64Array;
}

const ANSWER_TIMEOUT_MS = 30_000;

interface Tally {
  untilMs: number;
  refused: number;
  readonly latenciesMs: number[];
}

/**
 * Keeps `connections` keep-alive sockets busy, one request in flight on each, for `durationMs`; every request sent is waited
 * for. Plain sockets, because load shares the cores with what it measures: an HTTP client would cost as much as the server.
 */
export async function sendLoad(options: LoadOptions): Promise<LoadResult> {
  options.signal.throwIfAborted();
  const sockets = await Promise.all(Array.from({ length: options.connections }, () => open(options.port)));
  const startedMs = performance.now();
  const tally: Tally = { untilMs: startedMs + options.durationMs, refused: 0, latenciesMs: [] };
  const abort = () => {
    for (const socket of sockets) socket.destroy(new Error('the bench was stopped'));
  };
  options.signal.addEventListener('abort', abort, { once: true });
  try {
    await Promise.all(sockets.map((socket) => keepBusy(socket, options.nextRequest, tally)));
  } finally {
    options.signal.removeEventListener('abort', abort);
    for (const socket of sockets) socket.destroy();
  }
  const seconds = (performance.now() - startedMs) / 1000;
  const { refused, latenciesMs } = tally;
  return { answered: latenciesMs.length, refused, seconds, latenciesMs: Float64Array.from(latenciesMs).sort() };
}

/** The text of a request: `POST` with a JSON body, or `GET` without one. */
export function createRequest(path: string, headers: readonly string[], body: string | null): string {
  const lines = ['Host: 127.0.0.1', ...headers];
  if (body === null) return `GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
  lines.push('Content-Type: application/json; charset=utf-8', `Content-Length: ${body.length}`);
  return `POST ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    socket.setNoDelay(true);
    socket.setTimeout(ANSWER_TIMEOUT_MS, () => socket.destroy(new Error('a server did not answer in time')));
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      resolve(socket);
    });
  });
}

function keepBusy(socket: Socket, nextRequest: () => string, tally: Tally): Promise<void> {
  return new Promise((resolve, reject) => {
    let sentMs = 0;
    let received = '';
    const send = () => {
      const request = nextRequest();
      sentMs = performance.now();
      socket.write(request, 'latin1');
    };
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
      if (!isWhole(received)) return;
      const nowMs = performance.now();
      tally.latenciesMs.push(nowMs - sentMs);
      if (!received.startsWith('HTTP/1.1 2')) tally.refused += 1;
      received = '';
      if (nowMs < tally.untilMs) send();
      else resolve();
    });
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('a server closed a connection in use')));
    send();
  });
}

const LENGTH = /\r\ncontent-length: (\d+)\r\n/i;

/** Whether an answer is here to its last byte; every server measured states its length. */
function isWhole(received: string): boolean {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd === -1) return false;
  const length = LENGTH.exec(received)?.[1];
  if (length === undefined) throw new Error('a server answered without a Content-Length');
  return received.length >= headEnd + 4 + Number(length);
}
