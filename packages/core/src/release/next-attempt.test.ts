import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/support/verifies.ts';
import type { RetryPolicy } from '../model/policy.ts';
import { nextAttempt } from './next-attempt.ts';

const policy: fc.Arbitrary<RetryPolicy> = fc.record({
  attempts: fc.integer({ min: 1, max: 20 }),
  baseDelayMs: fc.integer({ min: 1, max: 10_000 }),
  maxDelayMs: fc.integer({ min: 1, max: 600_000 }),
  maxElapsedMs: fc.integer({ min: 0, max: 86_400_000 }),
});
const random01 = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const retryAfterMs = fc.option(fc.nat(10_000_000));
const none = { retryAfterMs: null };

describe('nextAttempt', () => {
  it(verifies('I9', 'ends after so many attempts and so much time, whatever destinations ask for'), () => {
    const answers = fc.array(fc.tuple(random01, retryAfterMs, fc.nat(60_000)), { minLength: 25, maxLength: 25 });
    fc.assert(
      fc.property(policy, answers, (bounds, steps) => {
        let elapsedMs = 0;
        let attempts = 0;
        for (const [random, askedMs, tookMs] of steps) {
          attempts += 1;
          elapsedMs += tookMs;
          const decision = nextAttempt(bounds, { attempts, elapsedMs, retryAfterMs: askedMs }, random);
          if (!decision.retry) return;
          expect(decision.delayMs).toBeGreaterThanOrEqual(1);
          elapsedMs += decision.delayMs;
          // The worker refuses to begin one at the bound: what is planned for then is never made.
          expect(elapsedMs).toBeLessThan(bounds.maxElapsedMs);
          expect(attempts).toBeLessThan(bounds.attempts);
        }
        expect.unreachable('25 attempts are more than any policy here allows');
      }),
      { numRuns: 500 },
    );
  });

  it('waits at most the capped exponential, and at least what was asked for', () => {
    fc.assert(
      fc.property(
        policy,
        fc.integer({ min: 1, max: 30 }),
        retryAfterMs,
        random01,
        (bounds, attempts, asked, random) => {
          const decision = nextAttempt(bounds, { attempts, elapsedMs: 0, retryAfterMs: asked }, random);
          if (!decision.retry) return;
          const ceilingMs = Math.min(bounds.maxDelayMs, bounds.baseDelayMs * 2 ** (attempts - 1));
          expect(decision.delayMs).toBeGreaterThanOrEqual(asked ?? 0);
          expect(decision.delayMs).toBeLessThanOrEqual(Math.max(1, ceilingMs, (asked ?? 0) + bounds.baseDelayMs));
        },
      ),
      { numRuns: 500 },
    );
  });

  it('names the bound that ended it', () => {
    const bounds = { attempts: 3, baseDelayMs: 1_000, maxDelayMs: 8_000, maxElapsedMs: 60_000 };
    expect(nextAttempt(bounds, { attempts: 3, elapsedMs: 0, ...none }, 0)).toEqual({
      retry: false,
      reason: 'attempts',
    });
    expect(nextAttempt(bounds, { attempts: 1, elapsedMs: 60_000, ...none }, 0)).toEqual({
      retry: false,
      reason: 'elapsed',
    });
    expect(nextAttempt(bounds, { attempts: 1, elapsedMs: 50_000, retryAfterMs: 10_001 }, 0)).toEqual({
      retry: false,
      reason: 'elapsed',
    });
  });

  it('uses the whole range of the jitter, and plans nothing that would come too late', () => {
    const bounds = { attempts: 9, baseDelayMs: 1_000, maxDelayMs: 8_000, maxElapsedMs: 60_000 };
    const delay = (attempts: number, elapsedMs: number, random: number, retryAfterMs: number | null = null) =>
      nextAttempt(bounds, { attempts, elapsedMs, retryAfterMs }, random);
    expect(delay(1, 0, 0)).toEqual({ retry: true, delayMs: 1 });
    expect(delay(3, 0, 0.5)).toEqual({ retry: true, delayMs: 2_000 });
    expect(delay(8, 0, 0.999_999)).toEqual({ retry: true, delayMs: 8_000 });
    expect(delay(8, 51_999, 0.999_999)).toEqual({ retry: true, delayMs: 8_000 });
    const over = { retry: false, reason: 'elapsed' };
    expect(delay(8, 52_000, 0.999_999)).toEqual(over);
    expect(delay(1, 200, 0.5, 60_000)).toEqual(over);
    expect(delay(1, 200, 0.5, 59_300)).toEqual(over);
    expect(delay(1, 200, 0.5, 59_299)).toEqual({ retry: true, delayMs: 59_799 });
  });
});
