import type { RetryPolicy } from '../model/policy.ts';

/** What Postgres has counted for one callback, and what the last answer asked for. */
export interface RetryFacts {
  /** Attempts made so far, at least 1. */
  readonly attempts: number;
  /** Milliseconds since the first attempt began. */
  readonly elapsedMs: number;
  /** The wait named by `Retry-After`; null when there was none. */
  readonly retryAfterMs: number | null;
}

export type RetryDecision =
  | { readonly retry: true; readonly delayMs: number }
  | { readonly retry: false; readonly reason: 'attempts' | 'elapsed' };

/**
 * Whether and when to try again; `random01` is in [0, 1). Exponential from `baseDelayMs`, capped at `maxDelayMs`, full
 * jitter. `Retry-After` is honoured beyond `maxDelayMs` (asking sooner would be refused), plus up to one `baseDelayMs`
 * so that callbacks do not return in step. No attempt begins after `maxElapsedMs` (I9). Source of the rule: DESIGN §8.
 */
export function nextAttempt(policy: RetryPolicy, facts: RetryFacts, random01: number): RetryDecision {
  if (facts.attempts >= policy.attempts) return { retry: false, reason: 'attempts' };
  const leftMs = policy.maxElapsedMs - facts.elapsedMs;
  const askedMs = facts.retryAfterMs ?? 0;
  if (leftMs < 1 || askedMs > leftMs) return { retry: false, reason: 'elapsed' };
  const doublings = Math.max(0, facts.attempts - 1);
  const ceilingMs = Math.min(policy.maxDelayMs, policy.baseDelayMs * 2 ** doublings);
  const wantedMs = Math.max(
    1,
    Math.ceil(ceilingMs * random01),
    askedMs > 0 ? Math.ceil(askedMs + policy.baseDelayMs * random01) : 0,
  );
  return { retry: true, delayMs: Math.min(wantedMs, Math.floor(leftMs)) };
}
