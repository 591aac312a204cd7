import { type RateRule, type TokenBucket, takeToken } from '@tidegate/core';

/** Ten refused keys at once from one address, then one every thirty seconds. */
const PER_ADDRESS: RateRule = { perSecond: 1 / 30, burst: 10 };
/** And three hundred from all addresses together, then five a second. */
const OVERALL: RateRule = { perSecond: 5, burst: 300 };
const MOST_ADDRESSES = 10_000;

export interface AttemptLimit {
  /** Counts a key that was refused. @returns milliseconds that this address has to wait; 0 while it may go on */
  refused(address: string): number;
}

/**
 * Limits wrong keys at the sign-in, in the memory of this process. A key that lives is never made to wait: everybody behind a proxy has
 * one address, so whoever is wrong on purpose would lock out who is on call. What a guess needs is 200 bits, here as at `/v1`.
 * @param nowMs a clock that never goes back, in milliseconds
 */
export function createAttemptLimit(nowMs: () => number): AttemptLimit {
  const buckets = new Map<string, TokenBucket>();
  let all: TokenBucket | null = null;

  return {
    refused(address) {
      const now = Math.floor(nowMs());
      const own = takeToken(buckets.get(address) ?? null, PER_ADDRESS, now);
      buckets.delete(address);
      buckets.set(address, own.bucket);
      const [oldest] = buckets.keys();
      if (buckets.size > MOST_ADDRESSES && oldest !== undefined) buckets.delete(oldest);
      if (!own.taken) return own.retryAfterMs;
      const together = takeToken(all, OVERALL, now);
      all = together.bucket;
      return together.retryAfterMs;
    },
  };
}
