import type { IncidentState } from '../model/incident.ts';

/** What is known of an incident that a person wants to end. */
export interface EndingFacts {
  readonly state: IncidentState;
  /** Something of it counts as disconnected. */
  readonly down: boolean;
  /** The newest verification that passed since it opened, if the gates of all its services stand open on evidence. */
  readonly evidence: string | null;
}

export type EndingDecision =
  | { readonly decision: 'end_by_evidence'; readonly verification: string }
  | { readonly decision: 'end_by_override' }
  | { readonly decision: 'refuse'; readonly reason: EndingRefusal };

export type EndingRefusal = 'already_resolved' | 'still_disconnected' | 'not_verified';

/**
 * Whether a person may end an incident: by the evidence there is, or, where there is none or something is still down, by an
 * override only, which takes a reason and an expiry. Source of the rule: DESIGN §3, I11.
 */
export function decideEnding({ state, down, evidence }: EndingFacts, override: boolean): EndingDecision {
  if (state === 'resolved') return { decision: 'refuse', reason: 'already_resolved' };
  if (!down && evidence !== null) return { decision: 'end_by_evidence', verification: evidence };
  if (override) return { decision: 'end_by_override' };
  return { decision: 'refuse', reason: down ? 'still_disconnected' : 'not_verified' };
}
