/** A token bucket: what is left in it, in thousandths of a token so that nothing is rounded, and as of when. */
export interface TokenBucket {
  readonly thousandths: number;
  readonly atMs: number;
}

export interface RateRule {
  readonly perSecond: number;
  /** Tokens of a full bucket: so many may come at once. */
  readonly burst: number;
}

export interface TakenToken {
  readonly taken: boolean;
  readonly bucket: TokenBucket;
  /** Until the next token is there; 0 when one was taken. */
  readonly retryAfterMs: number;
}

const WHOLE = 1000;

/**
 * Takes one token, if there is one. A bucket never seen is full, and a clock that went back adds nothing.
 * @param nowMs whole milliseconds
 */
export function takeToken(before: TokenBucket | null, { perSecond, burst }: RateRule, nowMs: number): TakenToken {
  const elapsedMs = before === null ? 0 : Math.max(0, nowMs - before.atMs);
  const full = burst * WHOLE;
  const thousandths = before === null ? full : Math.min(full, before.thousandths + elapsedMs * perSecond);
  const left = thousandths - WHOLE;
  if (left >= 0) return { taken: true, bucket: { thousandths: left, atMs: nowMs }, retryAfterMs: 0 };
  return { taken: false, bucket: { thousandths, atMs: nowMs }, retryAfterMs: Math.ceil(-left / perSecond) };
}
