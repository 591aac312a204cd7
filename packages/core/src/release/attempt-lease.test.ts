import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/support/verifies.ts';
import {
  ATTEMPT_LEASE,
  elapsedOf,
  holdsLease,
  isLeaseLost,
  judgeLease,
  type LeaseClaim,
  type StoredLease,
} from './attempt-lease.ts';

const ms = fc.integer({ min: 0, max: 10_000_000 });

describe('the time since a claim', () => {
  it('is that of the clock that went further, so that neither a standstill nor a step back stretches a lease', () => {
    fc.assert(
      fc.property(ms, ms, ms, ms, (monotonicMs, wallMs, monotonic, wall) => {
        const now = { monotonicMs: monotonicMs + monotonic, wallMs: wallMs + wall };
        expect(elapsedOf({ monotonicMs, wallMs }, now)).toBe(Math.max(monotonic, wall));
        const setBack = { ...now, wallMs: wallMs - wall };
        expect(elapsedOf({ monotonicMs, wallMs }, setBack)).toBe(monotonic);
        expect(elapsedOf({ monotonicMs, wallMs }, { ...now, monotonicMs })).toBe(wall);
      }),
    );
  });
});

describe('where a lease stands for its worker', () => {
  it.each([
    [0, 'fresh'],
    [2999, 'fresh'],
    [3000, 'due'],
    [8999, 'due'],
    [9000, 'closing'],
    [9999, 'closing'],
    [10_000, 'lost'],
    [1e9, 'lost'],
  ] as const)('after %i ms it is %s', (elapsedMs, standing) => {
    expect(judgeLease(elapsedMs, ATTEMPT_LEASE)).toBe(standing);
  });

  it('leaves room for two renewals that fail, and never comes back by itself', () => {
    const { leaseMs, renewAfterMs, marginMs } = ATTEMPT_LEASE;
    expect(3 * renewAfterMs).toBeLessThanOrEqual(leaseMs - marginMs);
    const order = ['fresh', 'due', 'closing', 'lost'];
    const rank = (elapsedMs: number) => order.indexOf(judgeLease(elapsedMs, ATTEMPT_LEASE));
    fc.assert(
      fc.property(ms, ms, (a, b) => {
        expect(rank(a + b)).toBeGreaterThanOrEqual(rank(a));
      }),
    );
  });
});

const token = fc.constantFrom(null, 'a', 'b');
const stored: fc.Arbitrary<StoredLease> = fc.record({
  token,
  generation: fc.integer({ min: 1, max: 2 }),
  untilMs: fc.integer({ min: 0, max: 4 }),
  finished: fc.boolean(),
});
const claim: fc.Arbitrary<LeaseClaim> = fc.record({ token, generation: fc.integer({ min: 1, max: 2 }) });
const nowMs = fc.integer({ min: 0, max: 4 });

describe(verifies('I7', 'an attempt is its worker’s while the lease runs, and after that nobody’s'), () => {
  it('nobody holds it under another token or generation, after its end, or once its time is over', () => {
    fc.assert(
      fc.property(stored, claim, nowMs, (lease, asking, now) => {
        const same = lease.token === asking.token && lease.generation === asking.generation && !lease.finished;
        expect(holdsLease(lease, asking, now)).toBe(same && now < lease.untilMs);
        expect(isLeaseLost(lease, asking, now)).toBe(same && now >= lease.untilMs);
      }),
    );
  });

  it('what was lost once is never held again', () => {
    fc.assert(
      fc.property(stored, claim, nowMs, nowMs, (lease, asking, now, later) => {
        if (isLeaseLost(lease, asking, now)) expect(holdsLease(lease, asking, now + later)).toBe(false);
      }),
    );
  });
});
