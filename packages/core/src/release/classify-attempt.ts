import type { AttemptPhase, RepeatContract } from '../model/callback.ts';

/** How one attempt ended, as the sender saw it. */
export interface AttemptOutcome {
  readonly phase: AttemptPhase;
  /** HTTP status, when `phase` is `answered`. */
  readonly status?: number | undefined;
  /** The address guard refused the destination; only ever with `not_sent`. */
  readonly addressDenied?: boolean | undefined;
}

type AttemptReason =
  | 'accepted'
  | 'not_sent'
  | 'address_denied'
  | 'outcome_unknown'
  | 'try_later'
  | 'server_error'
  | 'server_error_repeat_forbidden'
  | 'redirected'
  | 'rejected'
  | 'unexpected_status';

export interface AttemptVerdict {
  /** `ambiguous` goes to reconciliation, which alone may decide that a repeat is harmless (I7). */
  readonly next: 'delivered' | 'retry' | 'ambiguous' | 'failed';
  readonly reason: AttemptReason;
}

/** Answers that say the request was not taken up, so a repeat is harmless under either contract. */
const TRY_LATER: ReadonlySet<number> = new Set([408, 425, 429]);

/**
 * What one attempt means for its callback. Nothing sent: retry. Sent without an answer: ambiguous. 2xx: delivered. 408,
 * 425, 429: retry. 5xx: retry, or ambiguous when a repeat is forbidden. Other 4xx, and redirects (never followed):
 * failed. A status outside 200–599 proves nothing: ambiguous. Source of the rule: DESIGN §8.
 */
export function classifyAttempt(outcome: AttemptOutcome, repeat: RepeatContract): AttemptVerdict {
  switch (outcome.phase) {
    case 'not_sent':
      return outcome.addressDenied === true
        ? { next: 'failed', reason: 'address_denied' }
        : { next: 'retry', reason: 'not_sent' };
    case 'maybe_received':
      return { next: 'ambiguous', reason: 'outcome_unknown' };
    case 'answered':
      return classifyStatus(outcome.status ?? 0, repeat);
  }
}

function classifyStatus(status: number, repeat: RepeatContract): AttemptVerdict {
  if (!Number.isInteger(status) || status < 200 || status > 599) {
    return { next: 'ambiguous', reason: 'unexpected_status' };
  }
  if (status < 300) return { next: 'delivered', reason: 'accepted' };
  if (status < 400) return { next: 'failed', reason: 'redirected' };
  if (TRY_LATER.has(status)) return { next: 'retry', reason: 'try_later' };
  if (status < 500) return { next: 'failed', reason: 'rejected' };
  return repeat === 'forbidden'
    ? { next: 'ambiguous', reason: 'server_error_repeat_forbidden' }
    : { next: 'retry', reason: 'server_error' };
}

/**
 * Whether an attempt that ended so may have had an effect at its destination: it was sent, and no answer says what became of it.
 * Only a status lookup can disprove that.
 */
export function mayHaveHappened({ phase, status = 0 }: AttemptOutcome): boolean {
  return phase === 'maybe_received' || (phase === 'answered' && (status < 200 || status >= 500));
}
