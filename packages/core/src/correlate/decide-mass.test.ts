import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideMass, isMass, type MassFacts } from './decide-mass.ts';

const facts: fc.Arbitrary<MassFacts> = fc
  .record({
    knownDevices: fc.nat(12),
    lost: fc.uniqueArray(fc.record({ alias: fc.integer({ min: 1, max: 30 }).map((n) => `dev_${n}`), at: fc.nat(60) }), {
      selector: ({ alias }) => alias,
      maxLength: 12,
    }),
    windowMs: fc.nat(30),
    minDevices: fc.integer({ min: 2, max: 6 }),
    fraction: fc.constantFrom(0.1, 0.5, 1),
    firstAt: fc.nat(60),
    lastResolved: fc.option(fc.record({ id: fc.constant('inc_last'), resolvedAt: fc.nat(60) })),
  })
  .map(({ windowMs, minDevices, fraction, ...given }) => ({
    ...given,
    policy: { windowMs, minDevices, fraction, reopenWithinMs: 20 },
  }));

/** The most devices lost within any window, by trying each loss as its start. */
function mostTogether({ lost, policy }: MassFacts): number {
  return Math.max(
    0,
    ...lost.map(({ at: from }) => lost.filter(({ at }) => at >= from && at <= from + policy.windowMs).length),
  );
}

describe('decideMass', () => {
  it('finds exactly the losses that reach both thresholds within one window', () => {
    fc.assert(
      fc.property(facts, (given) => {
        const decision = decideMass(given);
        const most = mostTogether(given);
        const reached = most >= given.policy.minDevices && most >= given.policy.fraction * given.knownDevices;
        expect(decision.decision !== 'none').toBe(reached);
        if (decision.decision === 'none') return;
        expect(decision.devices).toHaveLength(most);
        const times = given.lost.filter(({ alias }) => decision.devices.includes(alias)).map(({ at }) => at);
        expect(times).toHaveLength(most);
        expect([decision.from, decision.to]).toEqual([Math.min(...times), Math.max(...times)]);
        expect(decision.to - decision.from).toBeLessThanOrEqual(given.policy.windowMs);
      }),
      { numRuns: 1000 },
    );
  });

  it('does not depend on the order of the losses', () => {
    fc.assert(
      fc.property(facts, (given) => {
        const lost = [...given.lost].reverse();
        expect(decideMass({ ...given, lost })).toEqual(decideMass(given));
      }),
      { numRuns: 500 },
    );
  });

  it('is never undone by one more loss among known devices', () => {
    fc.assert(
      fc.property(facts, fc.nat(60), (given, at) => {
        fc.pre(decideMass(given).decision !== 'none');
        const lost = [...given.lost, { alias: 'dev_more', at }];
        expect(decideMass({ ...given, lost }).decision).not.toBe('none');
      }),
    );
  });

  it('reopens what ended a short while before the first sign', () => {
    const lost = [1, 2, 3].map((n) => ({ alias: `dev_${n}`, at: 100 }));
    const policy = { windowMs: 10, minDevices: 3, fraction: 0.5, reopenWithinMs: 20 };
    const given = { knownDevices: 4, lost, policy, firstAt: 100 };
    expect(decideMass({ ...given, lastResolved: { id: 'inc_1', resolvedAt: 81 } })).toMatchObject({
      decision: 'reopen',
      incident: 'inc_1',
    });
    expect(decideMass({ ...given, lastResolved: { id: 'inc_1', resolvedAt: 80 } }).decision).toBe('open');
    expect(decideMass({ ...given, lastResolved: null }).decision).toBe('open');
  });

  it('goes on while those still lost would amount to one', () => {
    const policy = { windowMs: 10, minDevices: 3, fraction: 0.5 };
    expect([2, 3, 4, 5].map((lost) => isMass(lost, 8, policy))).toEqual([false, false, true, true]);
    expect(isMass(3, 4, policy)).toBe(true);
    expect(isMass(0, 0, policy)).toBe(false);
  });
});
