import { type AttemptEnd, type FinishedAttempt, finishAttempts } from '@tidegate/store';
import { createBatcher } from '../wake/create-batcher.ts';
import type { WorkerContext } from '../worker-context.ts';
import { rampOf } from './policy-of.ts';

/** Ends attempts, those that end at the same time together. */
export interface Finisher {
  finish(end: AttemptEnd): Promise<FinishedAttempt>;
}

const LARGEST_BATCH = 256;

/** Attempts that end while a commit is in flight share the next one. */
export function createFinisher({ sql, config }: Pick<WorkerContext, 'sql' | 'config'>): Finisher {
  return { finish: createBatcher((ends) => finishAttempts(sql, ends, rampOf(config)), LARGEST_BATCH) };
}
