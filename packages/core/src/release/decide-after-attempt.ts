import type { RepeatContract } from '../model/callback.ts';
import type { RetryPolicy } from '../model/policy.ts';
import { type AttemptOutcome, classifyAttempt, mayHaveHappened } from './classify-attempt.ts';
import { nextAttempt } from './next-attempt.ts';

/** One ended attempt and what Postgres has counted for its callback. */
export interface EndedAttempt {
  readonly outcome: AttemptOutcome;
  /** What cannot be written down as a request will not be better next time. */
  readonly invalid: boolean;
  readonly repeat: RepeatContract;
  /** Attempts made under the present allowance, this one included. */
  readonly attempts: number;
  /** Milliseconds from the beginning of the first of them to the end of this one. */
  readonly elapsedMs: number;
  readonly retryAfterMs: number | null;
  /** Let out by a person's approval, which was for this one attempt, whatever the contract says about repeats. */
  readonly byApproval: boolean;
  /** An earlier attempt may have had an effect, and nothing has disproved it. */
  readonly maybeReceived: boolean;
}

/** The state after an attempt. `delayMs` of `ambiguous`: when a repeat may begin once it is found harmless; null: never. */
export type AfterAttempt =
  | { readonly state: 'delivered' | 'failed' | 'needs_review'; readonly reason: string }
  | { readonly state: 'retrying'; readonly reason: string; readonly delayMs: number }
  | { readonly state: 'ambiguous'; readonly reason: string; readonly delayMs: number | null };

/**
 * What comes after an attempt: delivered, a bounded retry, reconciliation, a person, or failure. Giving up says "it did not
 * happen" only if no attempt can have had an effect (I7); every retry is bounded in attempts and elapsed time (I9). Source
 * of the rules: DESIGN §8. A policy of null is one that no config names any more: nothing is tried again under it.
 * @param random01 in [0, 1), for the jitter
 */
export function decideAfterAttempt(ended: EndedAttempt, policy: RetryPolicy | null, random01: number): AfterAttempt {
  const verdict = classifyAttempt(ended.outcome, ended.repeat);
  const giveUp = (reason: string): AfterAttempt => ({
    state: ended.maybeReceived || mayHaveHappened(ended.outcome) ? 'needs_review' : 'failed',
    reason,
  });
  if (ended.invalid) return giveUp('invalid_request');
  if (verdict.next === 'delivered') return { state: 'delivered', reason: verdict.reason };
  if (verdict.next === 'failed') return giveUp(verdict.reason);
  const retry = policy === null || ended.byApproval ? null : nextAttempt(policy, ended, random01);
  if (verdict.next === 'ambiguous') {
    return { state: 'ambiguous', reason: verdict.reason, delayMs: retry?.retry === true ? retry.delayMs : null };
  }
  // Only an approval lets a forbidden repeat out, also where an older version did not write that down.
  if (ended.byApproval || (ended.maybeReceived && ended.repeat === 'forbidden')) {
    return { state: 'needs_review', reason: 'approval_used' };
  }
  if (retry === null) return giveUp('policy_unknown');
  return retry.retry
    ? { state: 'retrying', reason: verdict.reason, delayMs: retry.delayMs }
    : giveUp(`retry_${retry.reason}_exhausted`);
}
