import { type RateRule, type TokenBucket, takeToken } from '@tidegate/core';
import { createGroupCommitter } from '../record/group-committer.ts';

/**
 * Asks for one delivery of a source. 0 lets it pass; else it must be turned away for so many milliseconds, and the gates
 * that it could have shut have been held already: a limit drops exactly the burst of a mass outage. Where they cannot be
 * held it passes, limit or not: it is recorded or spooled, and nothing is lost.
 */
export type RateLimit = (sourceId: number) => Promise<number> | number;

export interface RateLimitOptions {
  readonly rule: RateRule;
  /** Holds the gates of these sources under a new generation; rejects when it cannot. */
  readonly hold: (sourceIds: readonly number[]) => Promise<void>;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
}

const MAX_WAITING = 20_000;

/** One token bucket per source. Those turned away while gates are being held share the next holding, not that one. */
export function createRateLimit({ rule, hold, now }: RateLimitOptions): RateLimit {
  const buckets = new Map<number, TokenBucket>();
  const holding = createGroupCommitter<number, void>({
    async commit(sourceIds) {
      await hold([...new Set(sourceIds)]);
      return sourceIds.map(() => undefined);
    },
    maxBatch: MAX_WAITING,
    maxWaiting: MAX_WAITING,
    onOverload: () => Promise.reject(new Error('too many wait')),
  });
  return (sourceId) => {
    const { taken, bucket, retryAfterMs } = takeToken(buckets.get(sourceId) ?? null, rule, Math.floor(now()));
    buckets.set(sourceId, bucket);
    if (taken) return 0;
    return holding.submit(sourceId).then(
      () => retryAfterMs,
      () => 0,
    );
  };
}
