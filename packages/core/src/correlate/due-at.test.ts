import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/support/verifies.ts';
import { dueAt } from './due-at.ts';

const policy = fc.record({ openAfterMs: fc.nat(600_000), maxWaitMs: fc.nat(600_000) });
const gaps = fc.array(fc.nat(60_000), { minLength: 1, maxLength: 50 });

describe('dueAt', () => {
  it(verifies('I10', 'comes at most maxWait after the first observation, however many follow'), () => {
    fc.assert(
      fc.property(policy, fc.nat(2 ** 41), gaps, (thresholds, firstAt, waits) => {
        let lastAt = firstAt;
        for (const wait of waits) {
          lastAt += wait;
          const due = dueAt({ firstAt, lastAt }, thresholds);
          expect(due).toBeLessThanOrEqual(firstAt + thresholds.maxWaitMs);
          expect(due).toBeLessThanOrEqual(lastAt + thresholds.openAfterMs);
          expect([firstAt + thresholds.maxWaitMs, lastAt + thresholds.openAfterMs]).toContain(due);
        }
      }),
    );
  });

  it('waits for quiet first, and for the cap when there is no quiet', () => {
    const thresholds = { openAfterMs: 20_000, maxWaitMs: 120_000 };
    expect(dueAt({ firstAt: 1_000, lastAt: 5_000 }, thresholds)).toBe(25_000);
    expect(dueAt({ firstAt: 1_000, lastAt: 110_000 }, thresholds)).toBe(121_000);
  });
});
