import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/support/verifies.ts';
import { classifyFlapping } from './classify-flapping.ts';
import { type DatedStatus, findTransitions } from './find-transitions.ts';

const status = fc.constantFrom<DatedStatus['status']>('connected', 'disconnected');
const observations = fc.array(fc.record({ at: fc.nat(50), status }), { maxLength: 20 });
const flapPolicy = fc
  .record({ windowMs: fc.integer({ min: 1, max: 40 }), settlesAt: fc.nat(3), above: fc.integer({ min: 1, max: 3 }) })
  .map(({ windowMs, settlesAt, above }) => ({ windowMs, settlesAt, opensAt: settlesAt + above }));
const subjects = fc.array(
  fc.record({ alias: fc.constantFrom('tun_a', 'tun_b', 'tun_c'), at: fc.array(fc.nat(60), { maxLength: 8 }) }),
  { maxLength: 3 },
);

describe('findTransitions', () => {
  it(verifies('I5', 'is a function of the set of observations: order and repeats do not matter'), () => {
    fc.assert(
      fc.property(observations, fc.infiniteStream(fc.nat()), (given, randoms) => {
        const shuffled = [...given, ...given]
          .map((observation) => ({ observation, order: randoms.next().value as number }))
          .sort((a, b) => a.order - b.order)
          .map(({ observation }) => observation);
        expect(findTransitions(shuffled)).toEqual(findTransitions(given));
      }),
    );
  });

  it('counts changes only, with Disconnected last among equal dates', () => {
    const up = (at: number): DatedStatus => ({ at, status: 'connected' });
    const down = (at: number): DatedStatus => ({ at, status: 'disconnected' });
    expect(findTransitions([])).toEqual([]);
    expect(findTransitions([down(5)])).toEqual([]);
    expect(findTransitions([down(3), up(1), down(2), up(9)])).toEqual([2, 9]);
    expect(findTransitions([down(4), up(4), up(6)])).toEqual([4, 6]);
  });
});

describe('classifyFlapping', () => {
  it('flaps from opensAt transitions of the worst subject, and settles at settlesAt', () => {
    fc.assert(
      fc.property(subjects, flapPolicy, fc.nat(80), fc.boolean(), (given, flap, now, wasFlapping) => {
        const worst = Math.max(0, ...given.map(({ at }) => at.filter((t) => t + flap.windowMs > now).length));
        const result = classifyFlapping(given, flap, wasFlapping, now);
        expect(result.transitions).toBe(worst);
        expect(result.flapping).toBe(wasFlapping ? worst > flap.settlesAt : worst >= flap.opensAt);
        expect(result.subjects.length > 0).toBe(worst >= flap.opensAt);
      }),
      { numRuns: 500 },
    );
  });

  it('names the very moment at which it will have settled, if nothing else happens', () => {
    fc.assert(
      fc.property(subjects, flapPolicy, fc.nat(80), fc.boolean(), (given, flap, now, wasFlapping) => {
        const { flapping, settleDueAt } = classifyFlapping(given, flap, wasFlapping, now);
        if (!flapping || settleDueAt === null) {
          expect(settleDueAt).toBeNull();
          return;
        }
        expect(settleDueAt).toBeGreaterThan(now);
        expect(classifyFlapping(given, flap, true, settleDueAt).flapping).toBe(false);
        expect(classifyFlapping(given, flap, true, settleDueAt - 1).flapping).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
