import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/support/verifies.ts';
import { leaseUntil } from './lease-until.ts';

const READ_AT_MS = 1_000_000;
const silentAfter = fc.integer({ min: 2000, max: 60_000 });

describe('a lease', () => {
  it(
    verifies('I2.heartbeat', 'ends before any receiver that was registered, or registers later, can be silent'),
    () => {
      fc.assert(
        fc.property(silentAfter, fc.option(fc.double({ min: 0, max: 1, noNaN: true })), (silentAfterMs, left) => {
          const heardUntilMs = left === null ? null : READ_AT_MS + left * silentAfterMs;
          const until = leaseUntil(
            { state: 'open', reason: 'verified' },
            { readAtMs: READ_AT_MS, heardUntilMs, silentAfterMs },
          );
          expect(until).toBeLessThanOrEqual(heardUntilMs ?? READ_AT_MS + silentAfterMs);
          expect(until).toBeLessThanOrEqual(READ_AT_MS + 5000);
          expect(until).toBeGreaterThanOrEqual(Math.min(heardUntilMs ?? Number.POSITIVE_INFINITY, READ_AT_MS + 2000));
        }),
      );
    },
  );

  it('of a gate that is forced open does not depend on receivers', () => {
    const facts = { readAtMs: READ_AT_MS, heardUntilMs: READ_AT_MS - 1, silentAfterMs: 2000 };
    expect(leaseUntil({ state: 'open', reason: 'forced_open' }, facts)).toBe(READ_AT_MS + 5000);
  });
});
