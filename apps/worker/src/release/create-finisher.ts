import { type AttemptEnd, type FinishedAttempt, finishAttempts } from '@tidegate/store';
import type { WorkerContext } from '../worker-context.ts';
import { rampOf } from './policy-of.ts';

/** Ends attempts, those that end at the same time together. */
export interface Finisher {
  finish(end: AttemptEnd): Promise<FinishedAttempt>;
}

const LARGEST_BATCH = 256;

interface Waiting {
  readonly end: AttemptEnd;
  readonly resolve: (finished: FinishedAttempt) => void;
  readonly reject: (error: unknown) => void;
}

/** Attempts that end while a commit is in flight share the next one; no timer waits for company. */
export function createFinisher({ sql, config }: Pick<WorkerContext, 'sql' | 'config'>): Finisher {
  let waiting: Waiting[] = [];
  let busy = false;

  async function run(): Promise<void> {
    busy = true;
    while (waiting.length > 0) {
      const batch = waiting.slice(0, LARGEST_BATCH);
      waiting = waiting.slice(LARGEST_BATCH);
      try {
        const ends = batch.map(({ end }) => end);
        const finished = await finishAttempts(sql, ends, rampOf(config));
        for (const [index, one] of finished.entries()) batch[index]?.resolve(one);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    busy = false;
  }

  return {
    finish: (end) =>
      new Promise((resolve, reject) => {
        waiting.push({ end, resolve, reject });
        if (!busy) void run();
      }),
  };
}
