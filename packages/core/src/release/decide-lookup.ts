import type { RepeatContract } from '../model/callback.ts';
import type { RetryPolicy } from '../model/policy.ts';
import type { ReconciliationOutcome } from './decide-reconciliation.ts';
import { nextAttempt } from './next-attempt.ts';
import type { StatusResult } from './status-contract.ts';

export interface LookupFacts {
  readonly result: StatusResult;
  readonly repeat: RepeatContract;
  /** Milliseconds since the attempt ended whose outcome is unknown. */
  readonly unknownForMs: number;
  /** A "not found" that comes sooner proves nothing: the request may still be on its way. */
  readonly settleAfterMs: number;
  /** Its attempts and its time are not used up. */
  readonly canRetry: boolean;
  /** Lookups made for this attempt, this one included. */
  readonly lookups: number;
}

export interface LookupDecision {
  readonly state: 'delivered' | 'retrying' | 'failed' | 'needs_review' | 'ambiguous';
  readonly outcome: ReconciliationOutcome;
  readonly reason:
    | 'status_complete'
    | 'status_not_found'
    | 'status_not_settled'
    | 'status_unknown'
    | 'retries_exhausted';
  /** When to look again; only with `ambiguous`. */
  readonly againMs: number | null;
  /** The lookup proved that no attempt had an effect. */
  readonly disproves: boolean;
}

/**
 * What a status lookup settles. Complete: delivered. Not found after `settleAfter`: it did not happen, so it may be sent.
 * Otherwise a destination that deduplicates is simply asked again under the same key, and for a forbidden repeat the lookup
 * is repeated, bounded as attempts are (I9), until a person must decide (I7). Source of the rule: DESIGN §8.
 */
export function decideLookup(facts: LookupFacts, policy: RetryPolicy | null, random01: number): LookupDecision {
  const decide = (
    state: LookupDecision['state'],
    outcome: ReconciliationOutcome,
    reason: LookupDecision['reason'],
    more: { againMs?: number; disproves?: boolean } = {},
  ): LookupDecision => ({ state, outcome, reason, againMs: more.againMs ?? null, disproves: more.disproves ?? false });

  if (facts.result === 'complete') return decide('delivered', 'complete', 'status_complete');
  const settlesInMs = facts.settleAfterMs - facts.unknownForMs;
  if (facts.result === 'not_found' && settlesInMs <= 0) {
    return facts.canRetry
      ? decide('retrying', 'not_started', 'status_not_found', { disproves: true })
      : decide('failed', 'not_started', 'retries_exhausted', { disproves: true });
  }
  const reason = facts.result === 'not_found' ? 'status_not_settled' : 'status_unknown';
  if (facts.repeat === 'deduplicated') {
    return facts.canRetry
      ? decide('retrying', 'ambiguous', reason)
      : decide('needs_review', 'ambiguous', 'retries_exhausted');
  }
  if (facts.result === 'not_found') return decide('ambiguous', 'ambiguous', reason, { againMs: settlesInMs });
  const elapsedMs = Math.max(0, facts.unknownForMs - facts.settleAfterMs);
  const again =
    policy === null ? null : nextAttempt(policy, { attempts: facts.lookups, elapsedMs, retryAfterMs: null }, random01);
  return again?.retry === true
    ? decide('ambiguous', 'ambiguous', reason, { againMs: again.delayMs })
    : decide('needs_review', 'ambiguous', reason);
}
