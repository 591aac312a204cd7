import { AppError, type RateRule, type TokenBucket, takeToken } from '@tidegate/core';
import { createGroupCommitter } from '../record/group-committer.ts';

/**
 * Asks for one delivery of a source. 0 lets it pass; else it must be turned away for so many milliseconds, and the gates
 * that it could have shut have been held already: a limit drops exactly the burst of a mass outage.
 * @throws AppError when they could not be held: answer 503
 */
export type RateLimit = (sourceId: number) => Promise<number> | number;

export interface RateLimitOptions {
  readonly rule: RateRule;
  /** Holds the gates of these sources under a new generation. */
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
    overloaded: () =>
      new AppError({
        code: 'receiver_overloaded',
        publicMessage: 'Too many deliveries wait to be turned away.',
        retryable: true,
      }),
  });
  return (sourceId) => {
    const { taken, bucket, retryAfterMs } = takeToken(buckets.get(sourceId) ?? null, rule, Math.floor(now()));
    buckets.set(sourceId, bucket);
    return taken ? 0 : holding.submit(sourceId).then(() => retryAfterMs);
  };
}
