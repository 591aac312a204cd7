import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/support/verifies.ts';
import type { CallbackState } from '../model/callback.ts';
import { CALLBACK_TRANSITIONS, checkTransition, type TransitionGrant } from './callback-transitions.ts';

const STATES = Object.keys(CALLBACK_TRANSITIONS) as CallbackState[];
const GRANTS: readonly TransitionGrant[] = [
  'gate_allowed',
  'reconciled',
  'repeat_harmless',
  'status_complete',
  'person',
];

/** Every state that can be reached with these grants, in any number of steps. */
function reachable(from: CallbackState, grants: readonly TransitionGrant[]): Set<CallbackState> {
  const seen = new Set<CallbackState>();
  const open = [from];
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    for (const to of STATES) {
      if (seen.has(to) || !checkTransition(state, to, grants).ok) continue;
      seen.add(to);
      open.push(to);
    }
  }
  return seen;
}

describe('checkTransition', () => {
  it(verifies('I7', 'lets nothing reach sending without a gate decision, by any path'), () => {
    const others = GRANTS.filter((grant) => grant !== 'gate_allowed');
    for (const from of STATES) expect(reachable(from, others)).not.toContain('sending');
    for (const from of STATES) {
      const needs = CALLBACK_TRANSITIONS[from].sending;
      expect(needs === undefined || needs === 'gate_allowed').toBe(true);
    }
  });

  it(verifies('I7', 'sends an ambiguous callback again only after proof or approval'), () => {
    for (const from of ['ambiguous', 'needs_review'] as const) {
      expect(reachable(from, ['gate_allowed'])).not.toContain('sending');
    }
    expect(reachable('ambiguous', ['gate_allowed', 'repeat_harmless'])).toContain('sending');
    expect(reachable('needs_review', ['gate_allowed', 'repeat_harmless'])).not.toContain('sending');
    expect(reachable('needs_review', ['gate_allowed', 'person'])).toContain('sending');
  });

  it(verifies('I7', 'has no step from held to sending, and no way there without a reconciliation'), () => {
    expect(CALLBACK_TRANSITIONS.held.sending).toBeUndefined();
    const others = GRANTS.filter((grant) => grant !== 'reconciled' && grant !== 'person');
    const ways = reachable('held', ['gate_allowed']);
    expect(ways).not.toContain('sending');
    expect(checkTransition('held', 'queued', others)).toEqual({
      ok: false,
      reason: 'not_granted',
      needs: 'reconciled',
    });
  });

  it('knows three final states and one that a person may reopen, and a way out of every other one', () => {
    const final = ['delivered', 'cancelled', 'expired'];
    for (const from of STATES) {
      const ends = [...reachable(from, GRANTS)].filter((state) => [...final, 'failed'].includes(state));
      expect(ends.length === 0).toBe(final.includes(from));
    }
    expect(checkTransition('delivered', 'sending', GRANTS)).toEqual({ ok: false, reason: 'final' });
    expect(reachable('failed', ['gate_allowed', 'reconciled', 'repeat_harmless'])).toEqual(new Set());
  });

  it('says what is missing', () => {
    expect(checkTransition('queued', 'sending')).toEqual({ ok: false, reason: 'not_granted', needs: 'gate_allowed' });
    expect(checkTransition('held', 'delivered', GRANTS)).toEqual({ ok: false, reason: 'illegal' });
    expect(checkTransition('queued', 'sending', ['gate_allowed'])).toEqual({ ok: true });
    expect(checkTransition('sending', 'ambiguous')).toEqual({ ok: true });
  });
});
