import { type RateRule, type TokenBucket, takeToken } from '@tidegate/core';

/** Ten refused keys at once from one address, then one every thirty seconds. */
const PER_ADDRESS: RateRule = { perSecond: 1 / 30, burst: 10 };
/** And three hundred from all addresses together, then five a second. */
const OVERALL: RateRule = { perSecond: 5, burst: 300 };
const MOST_ADDRESSES = 10_000;

export interface AttemptLimit {
  /** Milliseconds until this address may try again; 0 when it may now. */
  waitMs(address: string): number;
  /** Counts a key that was refused. */
  refused(address: string): void;
}

/**
 * Limits the attempts to sign in, in the memory of this process. Only refused keys count, so that nobody who has a key is
 * slowed down by using it.
 * @param nowMs a clock that never goes back, in milliseconds
 */
export function createAttemptLimit(nowMs: () => number): AttemptLimit {
  const buckets = new Map<string, TokenBucket>();
  let all: TokenBucket | null = null;
  const now = () => Math.floor(nowMs());

  return {
    waitMs(address) {
      const own = takeToken(buckets.get(address) ?? null, PER_ADDRESS, now()).retryAfterMs;
      return Math.max(own, takeToken(all, OVERALL, now()).retryAfterMs);
    },
    refused(address) {
      const { bucket } = takeToken(buckets.get(address) ?? null, PER_ADDRESS, now());
      buckets.delete(address);
      buckets.set(address, bucket);
      const [oldest] = buckets.keys();
      if (buckets.size > MOST_ADDRESSES && oldest !== undefined) buckets.delete(oldest);
      all = takeToken(all, OVERALL, now()).bucket;
    },
  };
}
