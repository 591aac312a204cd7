import { setTimeout as delay } from 'node:timers/promises';
import type { Room } from './alarm.ts';
import type { AlarmHandler, BackendOptions, RunningWorker } from './backend.ts';
import type { BackendLink } from './backend-link.ts';
import { toQueueError } from './failure-code.ts';

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 2000;

export interface Consumer {
  /** Takes no further alarm, lets running handlers end (5 s at most) and frees the connections. Safe to call twice. */
  close(): Promise<void>;
}

/** Starts one room's worker, and tries again, with growing waits, for as long as its store is down. */
export function startConsumer(options: {
  link: BackendLink;
  room: Room;
  handler: AlarmHandler;
  concurrency: number;
  onError: BackendOptions['onError'];
}): Consumer {
  const { link, room, handler, concurrency, onError } = options;
  const closing = new AbortController();

  async function start(): Promise<RunningWorker | null> {
    for (let waitMs = FIRST_WAIT_MS; !closing.signal.aborted; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
      try {
        const backend = await link.open();
        return await backend.startWorker(room, handler, concurrency);
      } catch (error) {
        const failure = toQueueError(error);
        onError({ code: failure.detail ?? failure.code, room });
        await delay(waitMs, undefined, { signal: closing.signal }).catch(() => undefined);
      }
    }
    return null;
  }

  const started = start();
  return {
    async close() {
      closing.abort();
      const worker = await started;
      await worker?.close();
    },
  };
}
