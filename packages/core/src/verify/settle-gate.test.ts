import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GATE_STATES } from '../model/gate.ts';
import { type EndedRun, type OpeningVeto, type SettlingGate, settleGate } from './settle-gate.ts';

const gateArb: fc.Arbitrary<SettlingGate> = fc.record({
  state: fc.constantFrom(...GATE_STATES),
  reason: fc.constantFrom('never_verified', 'disconnected', 'verified', 'verification_failed'),
  generation: fc.integer({ min: 2, max: 4 }),
  run: fc.constantFrom('ver_a', 'ver_b', null),
  passes: fc.nat(3),
  passGeneration: fc.integer({ min: 1, max: 4 }),
});
const forcedArb = fc.tuple(gateArb, fc.constantFrom('open', 'releasing')).map(([gate, state]): SettlingGate => {
  return { ...gate, state: state === 'open' ? 'open' : 'releasing', reason: 'forced_open' };
});
const anyGate = fc.oneof(gateArb, forcedArb);
const runArb: fc.Arbitrary<EndedRun> = fc.record({
  id: fc.constantFrom('ver_a', 'ver_b'),
  generation: fc.integer({ min: 1, max: 4 }),
  outcome: fc.constantFrom('passed', 'failed', 'inconclusive'),
});
const required = fc.integer({ min: 1, max: 3 });
const vetoArb: fc.Arbitrary<OpeningVeto> = fc.record({ flapping: fc.boolean(), receiverSilent: fc.boolean() });
const NO_VETO: OpeningVeto = { flapping: false, receiverSilent: false };

const isCurrent = (gate: SettlingGate, run: EndedRun) => gate.run === run.id && gate.generation === run.generation;

describe('settling a gate', () => {
  it('is up to the run that the gate waits for, under its own generation, and to no other', () => {
    fc.assert(
      fc.property(anyGate, runArb, required, fc.boolean(), vetoArb, (gate, run, passes, held, veto) => {
        expect(settleGate(gate, run, passes, held, veto).kind).toBe(isCurrent(gate, run) ? 'settled' : 'overtaken');
      }),
    );
  });

  it('proves something only by a pass, and only while or because the gate stands open', () => {
    fc.assert(
      fc.property(anyGate, runArb, required, fc.boolean(), vetoArb, (gate, run, passes, held, veto) => {
        const settled = settleGate(gate, run, passes, held, veto);
        if (settled.kind === 'overtaken' || !settled.proves) return;
        expect(run.outcome).toBe('passed');
        expect(['open', 'releasing']).toContain(settled.state);
      }),
    );
  });
});

describe('a gate that a person forced open', () => {
  it('is neither shut nor changed by any run, and keeps its generation', () => {
    fc.assert(
      fc.property(forcedArb, runArb, required, fc.boolean(), vetoArb, (gate, run, passes, held, veto) => {
        fc.pre(isCurrent(gate, run));
        const { state, reason, generation } = gate;
        expect(settleGate(gate, run, passes, held, veto)).toMatchObject({
          change: 'none',
          state,
          reason,
          generation,
        });
      }),
    );
  });

  it('has no evidence while its connection flaps', () => {
    fc.assert(
      fc.property(forcedArb, runArb, required, (gate, run, passes) => {
        fc.pre(isCurrent(gate, run));
        expect(settleGate(gate, run, passes, false, { ...NO_VETO, flapping: true })).toMatchObject({
          proves: false,
          passes: 0,
        });
      }),
    );
  });

  it('has evidence after as many passes in a row as would have opened it, begun under its generation', () => {
    fc.assert(
      fc.property(forcedArb, runArb, required, (gate, run, passes) => {
        fc.pre(isCurrent(gate, run));
        const settled = settleGate(gate, run, passes, false, NO_VETO);
        const held = settleGate({ ...gate, state: 'verifying', reason: 'disconnected' }, run, passes, false, NO_VETO);
        if (settled.kind === 'overtaken' || held.kind === 'overtaken') throw new Error('both are current');
        expect(settled.proves).toBe(held.change === 'opened');
        expect(settled.passes).toBe(held.passes);
      }),
    );
  });
});

describe('a silent receiver', () => {
  const silent: OpeningVeto = { flapping: false, receiverSilent: true };

  it('lets no run open a gate or prove anything', () => {
    fc.assert(
      fc.property(anyGate, runArb, required, fc.boolean(), fc.boolean(), (gate, run, passes, held, flapping) => {
        const settled = settleGate(gate, run, passes, held, { flapping, receiverSilent: true });
        if (settled.kind === 'overtaken') return;
        expect(settled.change).not.toBe('opened');
        expect(settled.proves).toBe(false);
      }),
    );
  });

  it('takes no pass away: what it kept from opening is looked at again soon, and then opens', () => {
    fc.assert(
      fc.property(gateArb, runArb, required, fc.boolean(), (gate, run, passes, held) => {
        fc.pre(isCurrent(gate, run));
        const heard = settleGate(gate, run, passes, held, NO_VETO);
        const kept = settleGate(gate, run, passes, held, silent);
        if (heard.kind === 'overtaken' || kept.kind === 'overtaken') throw new Error('both are current');
        if (heard.change !== 'opened') {
          expect(kept).toEqual({ ...heard, proves: false });
          return;
        }
        expect(kept).toMatchObject({ state: 'held', reason: 'receiver_silent', passes: heard.passes, next: 'every' });
        const next = { ...gate, ...kept, passGeneration: gate.generation };
        expect(settleGate(next, run, passes, held, NO_VETO)).toMatchObject({ change: 'opened', reason: 'verified' });
      }),
    );
  });
});
