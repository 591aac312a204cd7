import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/support/verifies.ts';
import { decideEnding } from './decide-ending.ts';

const states = ['open', 'acknowledged', 'resolved'] as const;
const cases = states.flatMap((state) =>
  [true, false].flatMap((down) =>
    ['ver_1', null].flatMap((evidence) =>
      [true, false].map((override) => ({ facts: { state, down, evidence }, override })),
    ),
  ),
);

describe('decideEnding', () => {
  it(verifies('I11', 'ends without an override only what is up and verified, by that verification'), () => {
    for (const { facts, override } of cases) {
      const decision = decideEnding(facts, override);
      const proved = facts.state !== 'resolved' && !facts.down && facts.evidence !== null;
      expect(decision.decision === 'end_by_evidence').toBe(proved);
      if (decision.decision === 'end_by_evidence') expect(decision.verification).toBe('ver_1');
      if (!override && !proved) expect(decision.decision).toBe('refuse');
    }
  });

  it('takes the evidence where there is some, also when an override is offered', () => {
    expect(decideEnding({ state: 'open', down: false, evidence: 'ver_1' }, true)).toEqual({
      decision: 'end_by_evidence',
      verification: 'ver_1',
    });
  });

  it('says why it refuses', () => {
    const refuse = (reason: string) => ({ decision: 'refuse', reason });
    expect(decideEnding({ state: 'resolved', down: true, evidence: null }, true)).toEqual(refuse('already_resolved'));
    expect(decideEnding({ state: 'open', down: true, evidence: 'ver_1' }, false)).toEqual(refuse('still_disconnected'));
    expect(decideEnding({ state: 'acknowledged', down: false, evidence: null }, false)).toEqual(refuse('not_verified'));
  });
});
