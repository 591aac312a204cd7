import type { CallbackState } from '../model/callback.ts';

/**
 * What must be at hand before a callback may change state. `gate_allowed`: a gate decision of `allowed` in the same
 * transaction. `repeat_harmless`: the contract is `deduplicated`, or a status lookup proved that nothing happened.
 * `approval`: a person's approval, bound to the payload hash.
 */
export type TransitionGrant = 'gate_allowed' | 'repeat_harmless' | 'approval';

type Edges = Readonly<Partial<Record<CallbackState, TransitionGrant | null>>>;

/** Every legal change of state with what it needs (null: nothing). Only `gate_allowed` edges lead to `sending`. */
export const CALLBACK_TRANSITIONS: Readonly<Record<CallbackState, Edges>> = {
  queued: { held: null, sending: 'gate_allowed', cancelled: null, expired: null },
  held: { queued: 'gate_allowed', sending: 'gate_allowed', cancelled: null, expired: null },
  sending: { delivered: null, retrying: null, held: null, ambiguous: null, failed: null },
  retrying: { sending: 'gate_allowed', held: null, failed: null, cancelled: null, expired: null },
  ambiguous: { delivered: null, retrying: 'repeat_harmless', needs_review: null },
  needs_review: { retrying: 'approval', delivered: null, failed: null, cancelled: null },
  delivered: {},
  failed: {},
  cancelled: {},
  expired: {},
};

export type TransitionCheck =
  | { readonly ok: true }
  | { readonly ok: false; readonly reason: 'final' | 'illegal' | 'not_granted'; readonly needs?: TransitionGrant };

/**
 * Whether a callback may go from one state to another with what the caller can prove. A held callback reaches `sending`
 * only by a gate decision, an ambiguous one only after proof or review (I7). Source of the rule: DESIGN §8.
 */
export function checkTransition(
  from: CallbackState,
  to: CallbackState,
  grants: readonly TransitionGrant[] = [],
): TransitionCheck {
  const edges = CALLBACK_TRANSITIONS[from];
  const needs = edges[to];
  if (needs === undefined) return { ok: false, reason: Object.keys(edges).length === 0 ? 'final' : 'illegal' };
  return needs === null || grants.includes(needs) ? { ok: true } : { ok: false, reason: 'not_granted', needs };
}
