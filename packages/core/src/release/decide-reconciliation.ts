import type { RepeatContract } from '../model/callback.ts';

/** Where a callback stands when its service is reconciled; `delivered` is one that ended while the gate was shut. */
export const RECONCILED_STATES = ['delivered', 'sending', 'held', 'queued', 'retrying', 'ambiguous'] as const;
/**
 * The strongest thing that its attempts leave open. `none`: there was no attempt. `not_sent`: nothing left this machine.
 * `refused`: answers that say it was not taken up. `server_error` and `unknown`: it may have happened. `approved`: it may
 * have, and a person's approval to repeat it is still good.
 */
export const EVIDENCE = ['none', 'not_sent', 'refused', 'server_error', 'unknown', 'approved'] as const;

export interface ReconciliationFacts {
  readonly state: (typeof RECONCILED_STATES)[number];
  readonly evidence: (typeof EVIDENCE)[number];
  readonly repeat: RepeatContract;
  /** It was handed over with a way to ask what became of it. */
  readonly canLookUp: boolean;
  /** Its attempts and its time are not used up. */
  readonly canRetry: boolean;
}

export type ReconciliationOutcome = 'complete' | 'not_started' | 'ambiguous';

/**
 * What is done about it. `close`: nothing more. `wait`: its attempt is under way and will be reconciled if it ends unknown.
 * `resend`: again under the same key, which its destination deduplicates. `review`: a person decides.
 */
export type ReconciliationAction = 'close' | 'wait' | 'send' | 'look_up' | 'resend' | 'review';

export type ReconciliationReason =
  | 'answered'
  | 'in_flight'
  | 'never_attempted'
  | 'never_sent'
  | 'refused_for_now'
  | 'approved'
  | 'server_error'
  | 'outcome_unknown'
  | 'retries_exhausted';

export interface ReconciliationDecision {
  readonly outcome: ReconciliationOutcome;
  readonly reason: ReconciliationReason;
  readonly action: ReconciliationAction;
}

/**
 * Sorts one held or in-flight callback before a release: complete, not started, or ambiguous, each with a reason and what
 * follows. A repeat is chosen only where the contract makes it harmless; a lookup comes first where there is one (I7).
 * Source of the rule: DESIGN §8.
 */
function decideReconciliation(facts: ReconciliationFacts): ReconciliationDecision {
  if (facts.state === 'delivered') return { outcome: 'complete', reason: 'answered', action: 'close' };
  if (facts.state === 'sending') return { outcome: 'ambiguous', reason: 'in_flight', action: 'wait' };
  switch (facts.evidence) {
    case 'none':
      return { outcome: 'not_started', reason: 'never_attempted', action: 'send' };
    case 'not_sent':
      return { outcome: 'not_started', reason: 'never_sent', action: 'send' };
    case 'refused':
      return { outcome: 'not_started', reason: 'refused_for_now', action: 'send' };
    case 'approved':
      return { outcome: 'ambiguous', reason: 'approved', action: 'send' };
    case 'server_error':
      return decideUnknown(facts, 'server_error');
    case 'unknown':
      return decideUnknown(facts, 'outcome_unknown');
  }
}

function decideUnknown(
  { repeat, canLookUp, canRetry }: ReconciliationFacts,
  reason: 'server_error' | 'outcome_unknown',
): ReconciliationDecision {
  if (canLookUp) return { outcome: 'ambiguous', reason, action: 'look_up' };
  if (repeat === 'forbidden') return { outcome: 'ambiguous', reason, action: 'review' };
  return canRetry
    ? { outcome: 'ambiguous', reason, action: 'resend' }
    : { outcome: 'ambiguous', reason: 'retries_exhausted', action: 'review' };
}

/** Every set of facts with its decision, so that a statement can join ten thousand callbacks with the rule at once. */
export const RECONCILIATION_TABLE: readonly (ReconciliationFacts & ReconciliationDecision)[] =
  RECONCILED_STATES.flatMap((state) =>
    EVIDENCE.flatMap((evidence) =>
      (['deduplicated', 'forbidden'] as const).flatMap((repeat) =>
        [false, true].flatMap((canLookUp) =>
          [false, true].map((canRetry) => {
            const facts = { state, evidence, repeat, canLookUp, canRetry };
            return { ...facts, ...decideReconciliation(facts) };
          }),
        ),
      ),
    ),
  );
