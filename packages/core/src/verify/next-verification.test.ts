import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextVerification } from './next-verification.ts';

const pace = fc.record({
  everyMs: fc.integer({ min: 1, max: 120_000 }),
  recheckEveryMs: fc.integer({ min: 1000, max: 3_600_000 }),
});
const random01 = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const attempt = fc.nat(2000);

describe('nextVerification', () => {
  it('keeps the pace after a pass', () => {
    fc.assert(
      fc.property(pace, attempt, random01, (given, n, random) => {
        expect(nextVerification('passed', n, given, random)).toBe(given.everyMs);
      }),
    );
  });

  it('backs off after failures: never at once, never beyond the doubled pace or 30 s', () => {
    fc.assert(
      fc.property(pace, attempt, random01, (given, n, random) => {
        const delayMs = nextVerification('failed', n, given, random);
        expect(delayMs).toBeGreaterThan(0);
        expect(delayMs).toBeLessThanOrEqual(30_000);
        expect(delayMs).toBeLessThanOrEqual(given.everyMs * 2 ** Math.max(0, n - 1));
        expect(Number.isInteger(delayMs)).toBe(true);
      }),
    );
  });

  it('spreads the whole way to the ceiling, and grows with each failure', () => {
    const given = { everyMs: 5_000, recheckEveryMs: 300_000 };
    const range = (n: number) => [0, 0.999_999].map((random) => nextVerification('failed', n, given, random));
    expect([1, 2, 3, 4, 9].map(range)).toEqual([
      [500, 5_000],
      [1_000, 10_000],
      [2_000, 20_000],
      [3_000, 30_000],
      [3_000, 30_000],
    ]);
  });

  it('checks an open gate again within a tenth of recheckEvery, never later than it', () => {
    fc.assert(
      fc.property(pace, random01, (given, random) => {
        const delayMs = nextVerification('opened', 0, given, random);
        expect(delayMs).toBeLessThanOrEqual(given.recheckEveryMs);
        expect(delayMs).toBeGreaterThanOrEqual(Math.floor(given.recheckEveryMs * 0.9));
      }),
    );
  });
});
