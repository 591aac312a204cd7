import { describe, expect, it } from 'vitest';
import { GATE_STATES, type GateReason } from '../model/gate.ts';
import { decideGate } from './decide-gate.ts';

const REASONS: readonly GateReason[] = [
  'never_verified',
  'disconnected',
  'verification_failed',
  'held_by_hand',
  'forced_open',
  'hand_released',
  'unknown_subject',
  'receiver_silent',
  'rate_limited',
  'verified',
  'flapping',
  'policy_changed',
  'topology_changed',
];
const cases = GATE_STATES.flatMap((state) =>
  REASONS.flatMap((reason) =>
    [true, false].flatMap((receiversFresh) =>
      [true, false].map((unknown) => ({ state, reason, receiversFresh, unknown })),
    ),
  ),
);

describe('decideGate', () => {
  it('allows exactly through open or releasing, with fresh receivers and a known subject, or forced open', () => {
    for (const { state, reason, receiversFresh, unknown } of cases) {
      const { decision } = decideGate({ state, reason }, { receiversFresh, unknown });
      const allowed =
        (state === 'open' || state === 'releasing') && (reason === 'forced_open' || (receiversFresh && !unknown));
      expect(decision).toBe(allowed ? 'allowed' : 'held');
    }
  });

  it("gives the row's own reason first, then the silent receiver, then the unknown subject", () => {
    for (const { state, reason, receiversFresh, unknown } of cases) {
      const answer = decideGate({ state, reason }, { receiversFresh, unknown });
      const shut = state === 'held' || state === 'verifying';
      if (shut || reason === 'forced_open' || (receiversFresh && !unknown)) expect(answer.reason).toBe(reason);
      else expect(answer.reason).toBe(receiversFresh ? 'unknown_subject' : 'receiver_silent');
    }
  });
});
