import { setTimeout as delay } from 'node:timers/promises';
import { errorCode, type Log } from '@tidegate/runtime';
import { withDeadline } from '../record/with-deadline.ts';

export interface BeatOptions {
  /** Catches up with the store; answers whether nothing is kept back. */
  readonly catchUp: () => Promise<boolean>;
  readonly beat: () => Promise<void>;
  /** What cannot be got over by waiting, such as a database that belongs to somebody else. */
  readonly onFatal: (error: unknown) => void;
  readonly isFatal: (error: unknown) => boolean;
  readonly log: Log;
}

export interface Beating {
  /** Takes no further turn; resolves when the one under way ends, or after two seconds. */
  stop(): Promise<void>;
}

const EVERY_MS = 1000;
/** While something is kept back every moment counts, and gates are held. */
const EVERY_MS_BEHIND = 250;
const BEAT_DEADLINE_MS = 2000;
const STOP_DEADLINE_MS = 2000;

/** Says every second that this receiver is there, but only while it keeps nothing back; catches up first whenever it does. */
export function keepBeating({ catchUp, beat, onFatal, isFatal, log }: BeatOptions): Beating {
  const stopping = new AbortController();
  let silent = false;

  async function turn(): Promise<boolean> {
    try {
      const whole = await catchUp();
      if (whole && !stopping.signal.aborted) await withDeadline(beat(), BEAT_DEADLINE_MS);
      silent = !whole;
    } catch (error) {
      if (isFatal(error)) onFatal(error);
      else if (!silent) log.warn('store.unavailable', { operation: 'beat', code: errorCode(error) });
      silent = true;
    }
    return !silent;
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const well = await turn();
      await delay(well ? EVERY_MS : EVERY_MS_BEHIND, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  const ended = run();
  return {
    async stop() {
      stopping.abort();
      await withDeadline(ended, STOP_DEADLINE_MS).catch(() => undefined);
    },
  };
}
