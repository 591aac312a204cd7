import type { RetryPolicy } from '../model/policy.ts';

/** What Postgres has counted for one callback, and what the last answer asked for. */
export interface RetryFacts {
  /** Attempts made so far, at least 1. */
  readonly attempts: number;
  /** Milliseconds from the beginning of the first attempt to the end of the last. */
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
 * so that callbacks do not return in step. No attempt begins `maxElapsedMs` after the first or later (I9): a wait that does
 * not end before that is not begun. Source of the rule: DESIGN §8.
 */
export function nextAttempt(policy: RetryPolicy, facts: RetryFacts, random01: number): RetryDecision {
  if (facts.attempts >= policy.attempts) return { retry: false, reason: 'attempts' };
  const askedMs = facts.retryAfterMs ?? 0;
  const doublings = Math.max(0, facts.attempts - 1);
  const ceilingMs = Math.min(policy.maxDelayMs, policy.baseDelayMs * 2 ** doublings);
  const delayMs = Math.max(
    1,
    Math.ceil(ceilingMs * random01),
    askedMs > 0 ? Math.ceil(askedMs + policy.baseDelayMs * random01) : 0,
  );
  return facts.elapsedMs + delayMs < policy.maxElapsedMs
    ? { retry: true, delayMs }
    : { retry: false, reason: 'elapsed' };
}
