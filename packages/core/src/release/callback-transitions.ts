import type { CallbackState } from '../model/callback.ts';

/**
 * What must be at hand before a callback may change state. `gate_allowed`: a gate decision of `allowed`, under the
 * generation the callback was released in, or its declaration to be safe, in the same transaction. `reconciled`: its entry
 * in a reconciliation of the present generation. `repeat_harmless`: the contract is `deduplicated`, or a status lookup
 * proved that nothing happened. `status_complete`: a status lookup says it happened. `person`: an order of a person; an
 * approval is bound to the payload hash.
 */
export type TransitionGrant = 'gate_allowed' | 'reconciled' | 'repeat_harmless' | 'status_complete' | 'person';

type Edges = Readonly<Partial<Record<CallbackState, TransitionGrant | null>>>;

/** Every legal change of state with what it needs (null: nothing). Only `gate_allowed` edges lead to `sending`. */
export const CALLBACK_TRANSITIONS: Readonly<Record<CallbackState, Edges>> = {
  queued: { held: null, sending: 'gate_allowed', ambiguous: null, needs_review: null, cancelled: null, expired: null },
  held: { queued: 'reconciled', ambiguous: null, needs_review: null, cancelled: null, expired: null },
  sending: { delivered: null, retrying: null, ambiguous: null, needs_review: null, failed: null },
  retrying: {
    sending: 'gate_allowed',
    held: null,
    ambiguous: null,
    needs_review: null,
    cancelled: null,
    expired: null,
  },
  ambiguous: {
    delivered: 'status_complete',
    retrying: 'repeat_harmless',
    failed: 'repeat_harmless',
    needs_review: null,
  },
  needs_review: { retrying: 'person', delivered: 'person', failed: 'person', cancelled: 'person' },
  failed: { retrying: 'person' },
  delivered: {},
  cancelled: {},
  expired: {},
};

export type TransitionCheck =
  | { readonly ok: true }
  | { readonly ok: false; readonly reason: 'final' | 'illegal' | 'not_granted'; readonly needs?: TransitionGrant };

/**
 * Whether a callback may go from one state to another with what the caller can prove. A held callback reaches `sending`
 * only through a reconciliation and then a gate decision, an ambiguous one only after proof or review (I7). Source of the
 * rule: DESIGN §8.
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
