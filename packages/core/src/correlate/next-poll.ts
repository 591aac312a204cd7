/** How a poll of API v2 ended. */
export interface PollEnd {
  readonly answered: boolean;
  /** Polls in a row that failed, this one included; 0 after an answer. */
  readonly failures: number;
  /** What a failed answer asked us to wait; null when it did not say. */
  readonly retryAfterMs: number | null;
}

const SPREAD = 0.2;
const FIRST_RETRY_MS = 10_000;
const LONGEST_RETRY_MS = 300_000;

/**
 * Milliseconds until the next poll. After an answer `pollEveryMs`, up to a fifth more or less, so that two answers are
 * never 2 × `pollEveryMs` apart (I13). After the nth failure 10 s (or `pollEveryMs`, if shorter) doubled n−1 times up to
 * 5 min (or `pollEveryMs`, if longer), of which a random part above one half; never sooner than `Retry-After`.
 * `random01` is in [0, 1). Source: DESIGN §6.
 */
export function nextPoll(end: PollEnd, pollEveryMs: number, random01: number): number {
  if (end.answered) return Math.max(1, Math.round(pollEveryMs * (1 - SPREAD + 2 * SPREAD * random01)));
  const doubled = Math.min(FIRST_RETRY_MS, pollEveryMs) * 2 ** Math.max(0, end.failures - 1);
  const ceilingMs = Math.min(doubled, Math.max(LONGEST_RETRY_MS, pollEveryMs));
  return Math.max(1, Math.round(ceilingMs * (0.5 + random01 / 2)), end.retryAfterMs ?? 0);
}
