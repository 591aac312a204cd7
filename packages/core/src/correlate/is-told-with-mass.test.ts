import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isToldWithMass } from './is-told-with-mass.ts';

it('takes what was told within the window before the mass outage began, its ends included', () => {
  fc.assert(
    fc.property(fc.nat(), fc.nat(100_000), fc.nat(100_000), (begunAt, windowMs, ms) => {
      const mass = { begunAt, windowMs };
      expect(isToldWithMass(begunAt - Math.min(ms, windowMs), mass)).toBe(true);
      expect(isToldWithMass(begunAt - windowMs - 1 - ms, mass)).toBe(false);
      expect(isToldWithMass(begunAt + 1 + ms, mass)).toBe(false);
    }),
  );
});
