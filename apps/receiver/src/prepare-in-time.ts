import type { LiveSource } from '@tidegate/store';
import { withDeadline } from './record/with-deadline.ts';

/** The preparation of the store, which nobody waits for without end where there is another way. */
export interface Preparation {
  /**
   * At the start: resolves with null, or with what `loadInstead` finds when the store is away or silent. Goes on waiting for a
   * silent one if that finds nothing, and rejects as the preparation does.
   */
  orRemember(loadInstead: (error: unknown) => Promise<LiveSource[]>): Promise<LiveSource[] | null>;
  /** Later on. Rejects as the preparation does, or with a retryable AppError when it takes too long; it then goes on. */
  inTime(): Promise<void>;
}

const PREPARE_DEADLINE_MS = 10_000;

/** Only one is under way at a time: were each that is late followed by another, they would fill the server. */
export function createPreparation(prepare: () => Promise<void>, deadlineMs = PREPARE_DEADLINE_MS): Preparation {
  let underWay: Promise<void> | null = null;
  const begin = () => {
    underWay ??= prepare().finally(() => {
      underWay = null;
    });
    return underWay;
  };
  const inTime = () => withDeadline(begin(), deadlineMs);
  return {
    inTime,
    async orRemember(loadInstead) {
      const preparing = begin();
      try {
        await inTime();
        return null;
      } catch (error) {
        return loadInstead(error).catch(() => preparing.then(() => null));
      }
    },
  };
}
