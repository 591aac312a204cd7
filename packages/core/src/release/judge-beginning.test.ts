import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/support/verifies.ts';
import { GATE_STATES } from '../model/gate.ts';
import { type BeginningFacts, judgeBeginning } from './judge-beginning.ts';

const FACTS: BeginningFacts = {
  holdsLease: true,
  generation: 4,
  gateState: 'open',
  gateGeneration: 4,
  hand: null,
  passesHeld: false,
  receiversHeard: true,
  deadlineInMs: null,
};

describe(verifies('I7', 'the first byte of an attempt'), () => {
  it.each<[string, Partial<BeginningFacts>, ReturnType<typeof judgeBeginning>]>([
    ['goes through an open gate', {}, null],
    ['goes through a releasing gate', { gateState: 'releasing' }, null],
    ['stays behind a held gate', { gateState: 'held', gateGeneration: 5 }, 'gate_held'],
    ['stays behind a gate that was shut and is open again', { gateGeneration: 5 }, 'gate_held'],
    ['stays while a receiver is silent', { receiversHeard: false }, 'gate_held'],
    ['stays once the lease is over, whatever else', { holdsLease: false, hand: 'open' }, 'lease_expired'],
    ['goes before the deadline', { deadlineInMs: 1 }, null],
    ['stays at the deadline', { deadlineInMs: 0 }, 'deadline_passed'],
    ['stays after the deadline, also when forced', { deadlineInMs: -1, hand: 'open' }, 'deadline_passed'],
    ['passes a held gate when declared', { gateState: 'held', gateGeneration: 5, passesHeld: true }, null],
    ['passes no hand', { gateState: 'held', gateGeneration: 5, passesHeld: true, hand: 'held' }, 'gate_held'],
    ['passes no silent receiver', { gateState: 'held', passesHeld: true, receiversHeard: false }, 'gate_held'],
    [
      'goes through a forced gate under any generation',
      { hand: 'open', gateGeneration: 9, receiversHeard: false },
      null,
    ],
  ])('%s', (_name, change, expected) => {
    expect(judgeBeginning({ ...FACTS, ...change })).toBe(expected);
  });

  it('never goes under another generation, nor through a shut gate, but where a person or its declaration says so', () => {
    const facts = fc.record({
      holdsLease: fc.boolean(),
      generation: fc.constantFrom(4, 5),
      gateState: fc.constantFrom(...GATE_STATES),
      gateGeneration: fc.constantFrom(4, 5),
      hand: fc.constantFrom('held', 'open', null),
      passesHeld: fc.boolean(),
      receiversHeard: fc.boolean(),
      deadlineInMs: fc.constantFrom(null, -1, 0, 1),
    });
    fc.assert(
      fc.property(facts, (one) => {
        if (judgeBeginning(one) !== null || one.hand === 'open') return;
        const shut = one.gateState === 'held' || one.gateState === 'verifying' || one.gateGeneration !== one.generation;
        expect(shut && !(one.passesHeld && one.hand !== 'held')).toBe(false);
        expect(one.holdsLease && one.receiversHeard).toBe(true);
      }),
    );
  });
});
