import { setTimeout as delay } from 'node:timers/promises';
import type { IQueueBackend } from 'bullmq';

/** Pause after a failed fetch: BullMQ asks again at once on most store errors and would spin while the store is down. */
const FETCH_PAUSE_MS = 500;

/** Longest sleep of an idle worker, in seconds: bounds how late an alarm fires whose announcement was lost. */
const LONGEST_SLEEP_S = 5;

/** Makes a BullMQ backend fit for a store that may go away: failed fetches are paced, idle sleeps are short. */
export function paceFetches(backend: IQueueBackend): IQueueBackend {
  const fetchJob = backend.moveToActive.bind(backend);
  Object.defineProperty(backend, 'maximumBlockTimeout', { value: LONGEST_SLEEP_S });
  backend.moveToActive = async (token, name) => {
    try {
      return await fetchJob(token, name);
    } catch (error) {
      await delay(FETCH_PAUSE_MS);
      throw error;
    }
  };
  return backend;
}
