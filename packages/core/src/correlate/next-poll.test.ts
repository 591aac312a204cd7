import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/support/verifies.ts';
import { nextPoll } from './next-poll.ts';

const random01 = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const pollEveryMs = fc.integer({ min: 10, max: 3_600_000 });

describe('nextPoll', () => {
  it(verifies('I13', 'keeps two answered polls well under two intervals apart'), () => {
    fc.assert(
      fc.property(pollEveryMs, random01, (everyMs, random) => {
        const delayMs = nextPoll({ answered: true, failures: 0, retryAfterMs: null }, everyMs, random);
        expect(delayMs).toBeGreaterThanOrEqual(Math.floor(everyMs * 0.8));
        expect(delayMs).toBeLessThanOrEqual(Math.ceil(everyMs * 1.2));
      }),
    );
  });

  it('backs off while the API fails, up to a bound, and never asks before it may', () => {
    fc.assert(
      fc.property(
        pollEveryMs,
        random01,
        fc.integer({ min: 1, max: 2000 }),
        fc.option(fc.nat(86_400_000)),
        (everyMs, random, failures, retryAfterMs) => {
          const delayMs = nextPoll({ answered: false, failures, retryAfterMs }, everyMs, random);
          expect(delayMs).toBeGreaterThanOrEqual(retryAfterMs ?? 1);
          const bound = Math.min(Math.min(10_000, everyMs) * 2 ** (failures - 1), Math.max(300_000, everyMs));
          expect(delayMs).toBeLessThanOrEqual(Math.max(Math.ceil(bound), retryAfterMs ?? 0));
        },
      ),
    );
  });

  it('retries a first failure sooner than the next poll would be', () => {
    const at = (failures: number) => nextPoll({ answered: false, failures, retryAfterMs: null }, 60_000, 0.999_999);
    expect([1, 2, 3, 4, 5, 6, 9].map(at)).toEqual([10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000]);
  });
});
