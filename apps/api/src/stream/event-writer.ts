import type { ServerResponse } from 'node:http';
import { ANSWER_HEADERS } from '../answer/answer.ts';

/** A client that takes nothing for this long is gone, or too slow to be worth the memory. */
const WRITE_TIMEOUT_MS = 15_000;
/** A client that was told goodbye may take this long to hear it. */
const GOODBYE_MS = 2000;

/** The headers of every stream of server-sent events. */
export const STREAM_HEADERS = {
  ...ANSWER_HEADERS,
  'content-type': 'text/event-stream; charset=utf-8',
  // Proxies that gather answers would hold every message back.
  'x-accel-buffering': 'no',
} as const;

interface ServerMessage {
  /** What a reader gives back as `Last-Event-ID`. */
  readonly id?: number;
  /** Left out for the ordinary ones, which every reader hears without asking for them by name. */
  readonly event?: string;
  readonly data: unknown;
}

export interface EventWriter {
  /** Aborts once the client is gone or was given up. */
  readonly closed: AbortSignal;
  /** Resolves once the client has room for more: nothing is gathered for one that does not read. Does nothing after the end. */
  write(message: ServerMessage): Promise<void>;
  /** Keeps the connection alive; the id says how far the reader is, although nothing came that it may see. */
  beat(id: number): Promise<void>;
  /** Ends the stream, with a last message if one is given; what the client does not take is dropped soon. */
  end(message?: ServerMessage): void;
}

/**
 * Server-sent events on Node's own response, since back-pressure has to reach the one who writes.
 * @param retryMs how long a reader should wait before it connects again
 */
export function openEventWriter(
  response: ServerResponse,
  { retryMs, writeTimeoutMs = WRITE_TIMEOUT_MS }: { readonly retryMs: number; readonly writeTimeoutMs?: number },
): EventWriter {
  const closing = new AbortController();
  response.once('close', () => closing.abort());
  // Whoever left while their right to it was looked up is not heard leaving any more.
  if (response.closed || response.destroyed) closing.abort();
  // A peer that breaks off is no failure of ours; `close` follows.
  response.on('error', () => undefined);
  response.writeHead(200, STREAM_HEADERS);
  response.write(`retry: ${retryMs}\n\n`);

  async function send(text: string): Promise<void> {
    if (closing.signal.aborted || response.writableEnded || response.write(text)) return;
    await new Promise<void>((resolve) => {
      const giveUp = setTimeout(() => response.destroy(), writeTimeoutMs);
      const done = () => {
        clearTimeout(giveUp);
        response.off('drain', done);
        closing.signal.removeEventListener('abort', done);
        resolve();
      };
      response.once('drain', done);
      closing.signal.addEventListener('abort', done, { once: true });
    });
  }

  return {
    closed: closing.signal,
    write: (message) => send(format(message)),
    beat: (id) => send(`: still here\nid: ${id}\n\n`),
    end(message) {
      if (response.writableEnded || response.destroyed) return;
      response.end(message === undefined ? '' : format(message));
      const cut = setTimeout(() => response.destroy(), GOODBYE_MS);
      response.once('close', () => clearTimeout(cut));
    },
  };
}

/** JSON has no line breaks of its own, so one line of data holds it. */
function format({ id, event, data }: ServerMessage): string {
  const lines = [
    ...(id === undefined ? [] : [`id: ${id}`]),
    ...(event === undefined ? [] : [`event: ${event}`]),
    `data: ${JSON.stringify(data)}`,
  ];
  return `${lines.join('\n')}\n\n`;
}
