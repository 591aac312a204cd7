import type { ServerResponse } from 'node:http';
import type { EventsClosed } from '@tidegate/client';
import { problem } from '../answer/problem.ts';
import { RETRY_AFTER_SECONDS } from '../answer/problem-of-error.ts';
import type { ApiContext } from '../api-context.ts';
import { alreadySent } from './already-sent.ts';
import { type EventWriter, openEventWriter } from './event-writer.ts';
import { watchAccess } from './watch-access.ts';

const RETRY_MS = 2000;
/** Each holds a socket and a page of events at most. */
const MOST_STREAMS = 500;
/** So that one client that opens them and forgets does not shut all others out. */
const MOST_OF_A_KEY = 250;

interface NewStream<T> {
  /** Id of the key it is read with. */
  readonly key: string;
  /** Read before anything is answered, so that what fails is answered as everywhere. */
  readonly start: () => Promise<T>;
  /** Whether whoever reads still may; asked again and again. */
  readonly mayStill: () => Promise<boolean>;
  /** Writes until the reader is gone or this process ends, calling `tell` for each message that counts. */
  readonly follow: (writer: EventWriter, start: T, tell: () => void) => Promise<{ readonly stopped: boolean }>;
}

export interface Streams {
  /** Answers with a stream, or with a problem when there are too many. Rejects as `start` does. */
  open<T>(response: ServerResponse, stream: NewStream<T>): Promise<Response>;
}

/** The streams of this process, however many kinds there are. */
export function createStreams({ metrics, log }: Pick<ApiContext, 'metrics' | 'log'>): Streams {
  let open = 0;
  const openByKey = new Map<string, number>();
  const ofKey = (key: string) => openByKey.get(key) ?? 0;
  const count = (key: string, change: 1 | -1) => {
    open += change;
    metrics.set('feed.streams', {}, open);
    const left = ofKey(key) + change;
    if (left > 0) openByKey.set(key, left);
    else openByKey.delete(key);
  };
  return {
    async open(response, stream) {
      const { key } = stream;
      if (open >= MOST_STREAMS || ofKey(key) >= MOST_OF_A_KEY) return tooMany();
      count(key, 1);
      try {
        const start = await stream.start();
        void serve(log, response, stream, start).finally(() => count(key, -1));
        return alreadySent();
      } catch (error) {
        count(key, -1);
        throw error;
      }
    },
  };
}

/** Never rejects: whatever ends a stream, its reader connects again and goes on where it was. */
async function serve<T>(
  log: ApiContext['log'],
  response: ServerResponse,
  stream: NewStream<T>,
  start: T,
): Promise<void> {
  const startedAt = performance.now();
  const writer = openEventWriter(response, { retryMs: RETRY_MS });
  let reason: EventsClosed['reason'] | 'left' | 'failed' = 'left';
  let count = 0;
  const close = (why: EventsClosed['reason']) => {
    reason = why;
    writer.end({ event: 'closed', data: { reason: why } satisfies EventsClosed });
  };
  const stopWatching = watchAccess(stream.mayStill, (isRefused) =>
    close(isRefused ? 'key_refused' : 'store_unavailable'),
  );
  try {
    const { stopped } = await stream.follow(writer, start, () => {
      count += 1;
    });
    if (stopped) close('stopping');
  } catch (error) {
    reason = 'failed';
    log.warn('stream.broken', { error });
  } finally {
    stopWatching();
    writer.end();
    log.info('stream.ended', { reason, count, durationMs: Math.round(performance.now() - startedAt) });
  }
}

function tooMany(): Response {
  const detail = 'This process serves as many streams as it can, or as a key may have; ask again, or read the lists.';
  return problem({ status: 503, code: 'too_many_streams', detail }, { 'retry-after': String(RETRY_AFTER_SECONDS) });
}
