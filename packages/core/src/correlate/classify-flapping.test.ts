import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/support/verifies.ts';
import { classifyFlapping } from './classify-flapping.ts';
import { findTransitions, type ReportedStatus } from './find-transitions.ts';

const status = fc.constantFrom<ReportedStatus['status']>('connected', 'disconnected');
const observations = fc.array(fc.record({ at: fc.option(fc.nat(50), { freq: 10 }), receivedAt: fc.nat(50), status }), {
  maxLength: 20,
});
const flapPolicy = fc
  .record({ windowMs: fc.integer({ min: 1, max: 40 }), settlesAt: fc.nat(3), above: fc.integer({ min: 1, max: 3 }) })
  .map(({ windowMs, settlesAt, above }) => ({ windowMs, settlesAt, opensAt: settlesAt + above }));
const subjects = fc.array(
  fc.record({ alias: fc.constantFrom('tun_a', 'tun_b', 'tun_c'), at: fc.array(fc.nat(60), { maxLength: 8 }) }),
  { maxLength: 3 },
);

const up = (at: number, late = 0): ReportedStatus => ({ at, receivedAt: at + late, status: 'connected' });
const down = (at: number): ReportedStatus => ({ at, receivedAt: at, status: 'disconnected' });

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
    expect(findTransitions([])).toEqual([]);
    expect(findTransitions([down(5)])).toEqual([]);
    expect(findTransitions([down(3), up(1), down(2), up(9)])).toEqual([2, 9]);
    expect(findTransitions([down(4), up(4), up(6)])).toEqual([4, 6]);
  });

  it('orders by date and tells when it was heard; without one it counts for as much as can be', () => {
    expect(findTransitions([up(1, 10), down(2), up(9)])).toEqual([2, 9]);
    const undated = [up(1), down(2), up(3), down(4), down(5)].map((one) => ({ ...one, at: null }));
    expect(findTransitions(undated)).toEqual([2, 3, 4, 5]);
    expect(findTransitions(undated.slice(0, 2))).toEqual([2]);
    expect(findTransitions([...undated.slice(3), up(1), down(2)])).toEqual([2]);
    const hoursOff = [up(1), down(2), up(3)].map(({ receivedAt, ...rest }) => ({
      ...rest,
      receivedAt: receivedAt + 1000,
    }));
    expect(findTransitions(hoursOff)).toEqual([1002, 1003]);
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
