import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isKeptShut } from './is-kept-shut.ts';
import { settleGate } from './settle-gate.ts';

const gateArb = fc.record({
  state: fc.constantFrom('open', 'held', 'verifying', 'releasing'),
  reason: fc.constantFrom('disconnected', 'rate_limited', 'held_by_hand', 'forced_open', 'verification_failed'),
  generation: fc.integer({ min: 1, max: 3 }),
  run: fc.constantFrom('ver_1', 'ver_2', null),
  passes: fc.nat(3),
  passGeneration: fc.integer({ min: 1, max: 3 }),
});
const runArb = fc.record({
  id: fc.constant('ver_1'),
  generation: fc.integer({ min: 1, max: 3 }),
  outcome: fc.constantFrom('passed', 'failed', 'inconclusive'),
});

const NO_VETO = { flapping: false, receiverSilent: false };

describe('a gate that is shut again before it can open', () => {
  it('is never one that is open, that this run opens, or that a person holds', () => {
    fc.assert(
      fc.property(gateArb, runArb, fc.integer({ min: 1, max: 3 }), fc.boolean(), (gate, run, required, held) => {
        const settlement = settleGate(gate, run, required, held, NO_VETO);
        const opened = settlement.kind === 'settled' && settlement.change === 'opened';
        const isOpen = gate.state === 'open' || gate.state === 'releasing';
        if (isOpen || opened || gate.reason === 'held_by_hand') expect(isKeptShut(gate, run, settlement)).toBe(false);
      }),
    );
  });

  it('is one whose generation moved on, and not one whose run another worker took over', () => {
    fc.assert(
      fc.property(gateArb, runArb, (gate, run) => {
        fc.pre((gate.state === 'held' || gate.state === 'verifying') && gate.reason !== 'held_by_hand');
        const settlement = settleGate(gate, run, 3, false, NO_VETO);
        if (settlement.kind === 'overtaken')
          expect(isKeptShut(gate, run, settlement)).toBe(gate.generation !== run.generation);
      }),
    );
  });

  it('is one whose source is being turned away, also when a run comes to a pass in between', () => {
    const gate = {
      state: 'verifying',
      reason: 'rate_limited',
      generation: 2,
      run: 'ver_1',
      passes: 0,
      passGeneration: 2,
    } as const;
    const run = { id: 'ver_1', generation: 2, outcome: 'passed' } as const;
    expect(isKeptShut(gate, run, settleGate(gate, run, 2, false, NO_VETO))).toBe(true);
    expect(isKeptShut({ ...gate, reason: 'disconnected' }, run, settleGate(gate, run, 2, false, NO_VETO))).toBe(false);
  });
});
