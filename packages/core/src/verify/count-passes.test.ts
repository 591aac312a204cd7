import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/support/verifies.ts';
import { countPasses, type PassCount } from './count-passes.ts';

const gate = fc.record({ generation: fc.nat(5), passGeneration: fc.nat(5), passes: fc.nat(5) });
const required = fc.integer({ min: 0, max: 5 });

describe('countPasses', () => {
  it(verifies('I6', 'never opens on a run that began under another generation'), () => {
    fc.assert(
      fc.property(gate, fc.nat(5), fc.boolean(), required, (row, startedGeneration, passed, needed) => {
        fc.pre(startedGeneration !== row.generation);
        expect(countPasses(row, { startedGeneration, passed }, needed)).toMatchObject({
          opens: false,
          reason: 'stale_generation',
        });
      }),
    );
  });

  it('opens after exactly the required passes in a row, all of one generation', () => {
    const step = fc.oneof(
      { weight: 6, arbitrary: fc.record({ kind: fc.constant('run' as const), passed: fc.boolean(), late: fc.nat(2) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('veto' as const) }) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), fc.integer({ min: 1, max: 4 }), (steps, needed) => {
        let row: PassCount = { generation: 7, passGeneration: 0, passes: 0 };
        let streak = 0;
        for (const given of steps) {
          if (given.kind === 'veto') {
            row = { ...row, generation: row.generation + 1 };
            streak = 0;
            continue;
          }
          const startedGeneration = row.generation - given.late;
          const decision = countPasses(row, { startedGeneration, passed: given.passed }, needed);
          if (given.late === 0) streak = given.passed ? streak + 1 : 0;
          expect(decision.passes).toBe(streak);
          expect(decision.opens).toBe(given.late === 0 && given.passed && streak >= needed);
          row = { generation: row.generation, passGeneration: decision.passGeneration, passes: decision.passes };
        }
      }),
      { numRuns: 500 },
    );
  });

  it('does not open on one accidental success when more are required', () => {
    fc.assert(
      fc.property(gate, fc.integer({ min: 2, max: 9 }), (row, needed) => {
        const fresh = { ...row, passes: 0 };
        const run = { startedGeneration: row.generation, passed: true };
        expect(countPasses(fresh, run, needed)).toMatchObject({ passes: 1, opens: false, reason: 'more_needed' });
      }),
    );
  });

  it('never opens without a pass, even when none is required', () => {
    const row = { generation: 1, passGeneration: 1, passes: 9 };
    expect(countPasses(row, { startedGeneration: 1, passed: false }, 0)).toMatchObject({ passes: 0, opens: false });
    expect(countPasses(row, { startedGeneration: 1, passed: true }, 0)).toMatchObject({ passes: 10, opens: true });
  });
});
