import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { recheckEvery } from './recheck-every.ts';

const ms = fc.integer({ min: 1000, max: 3_600_000 });

describe('how often an open gate is verified again', () => {
  it('is what the policy says where nothing is polled', () => {
    fc.assert(fc.property(ms, (every) => recheckEvery(every, null) === every));
  });

  it('is never slower than the policy, and leaves one poll before its subjects are unknown', () => {
    fc.assert(
      fc.property(ms, ms, (every, pollEvery) => {
        const actual = recheckEvery(every, pollEvery);
        expect(actual).toBeLessThanOrEqual(every);
        expect(actual + pollEvery).toBeLessThanOrEqual(3 * pollEvery);
        expect([every, 2 * pollEvery]).toContain(actual);
      }),
    );
  });
});
