import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/support/verifies.ts';
import type { AttemptPhase, RepeatContract } from '../model/callback.ts';
import { decideAfterAttempt, type EndedAttempt } from './decide-after-attempt.ts';

const POLICY = { attempts: 3, baseDelayMs: 1000, maxDelayMs: 8000, maxElapsedMs: 60_000 };

function ended(
  phase: AttemptPhase,
  status: number | null,
  repeat: RepeatContract,
  change: Partial<EndedAttempt> = {},
): EndedAttempt {
  const outcome = { phase, status: status ?? undefined };
  return {
    ...{
      outcome,
      repeat,
      invalid: false,
      attempts: 1,
      elapsedMs: 0,
      retryAfterMs: null,
      maybeReceived: false,
      byApproval: false,
    },
    ...change,
  };
}

const next = (attempt: EndedAttempt) => decideAfterAttempt(attempt, POLICY, 0.5);

describe('decideAfterAttempt', () => {
  it.each<[string, AttemptPhase, number | null, string, string]>([
    ['refused, DNS, TLS: not sent', 'not_sent', null, 'retrying', 'retrying'],
    ['reset or timeout after bytes were written', 'maybe_received', null, 'ambiguous', 'ambiguous'],
    ['200', 'answered', 200, 'delivered', 'delivered'],
    ['301', 'answered', 301, 'failed', 'failed'],
    ['404', 'answered', 404, 'failed', 'failed'],
    ['408', 'answered', 408, 'retrying', 'retrying'],
    ['425', 'answered', 425, 'retrying', 'retrying'],
    ['429', 'answered', 429, 'retrying', 'retrying'],
    ['500', 'answered', 500, 'retrying', 'ambiguous'],
    ['503', 'answered', 503, 'retrying', 'ambiguous'],
  ])('%s', (_name, phase, status, deduplicated, forbidden) => {
    expect(next(ended(phase, status, 'deduplicated')).state).toBe(deduplicated);
    expect(next(ended(phase, status, 'forbidden')).state).toBe(forbidden);
  });

  it(verifies('I9', 'gives up when attempts or time are used up, and says which'), () => {
    const spent = { attempts: 3 };
    expect(next(ended('not_sent', null, 'forbidden', spent))).toEqual({
      state: 'failed',
      reason: 'retry_attempts_exhausted',
    });
    expect(next(ended('answered', 503, 'deduplicated', spent))).toEqual({
      state: 'needs_review',
      reason: 'retry_attempts_exhausted',
    });
    expect(next(ended('not_sent', null, 'forbidden', { elapsedMs: 60_000 }))).toEqual({
      state: 'failed',
      reason: 'retry_elapsed_exhausted',
    });
    // Reconciled all the same: a lookup may still tell. But there is no repeat any more.
    expect(next(ended('maybe_received', null, 'deduplicated', spent))).toMatchObject({
      state: 'ambiguous',
      delayMs: null,
    });
  });

  it('waits as long as the destination asks', () => {
    const decided = next(ended('answered', 429, 'forbidden', { retryAfterMs: 30_000 }));
    expect(decided).toMatchObject({ state: 'retrying', delayMs: 30_500 });
  });

  it(
    verifies('I7', 'never says failed, and never repeats what is forbidden, while an attempt may have had an effect'),
    () => {
      const attempt = fc.record({
        phase: fc.constantFrom<AttemptPhase>('not_sent', 'maybe_received', 'answered'),
        status: fc.integer({ min: 100, max: 700 }),
        repeat: fc.constantFrom<RepeatContract>('deduplicated', 'forbidden'),
        attempts: fc.integer({ min: 1, max: 5 }),
        elapsedMs: fc.integer({ min: 0, max: 100_000 }),
        maybeReceived: fc.boolean(),
        invalid: fc.boolean(),
        byApproval: fc.boolean(),
      });
      fc.assert(
        fc.property(attempt, ({ phase, status, repeat, ...rest }) => {
          const decided = next(ended(phase, phase === 'answered' ? status : null, repeat, rest));
          const unknownNow = phase === 'maybe_received' || (phase === 'answered' && (status < 200 || status >= 500));
          const unknown = rest.maybeReceived || (unknownNow && !rest.invalid);
          if (unknown) expect(decided.state).not.toBe('failed');
          if (unknown && repeat === 'forbidden') expect(decided.state).not.toBe('retrying');
          // An approval is for one attempt: then the person is asked again, or it is over.
          if (rest.byApproval) expect(decided.state).not.toBe('retrying');
          if (rest.byApproval && decided.state === 'ambiguous') expect(decided.delayMs).toBeNull();
          expect(decided.state === 'delivered').toBe(
            phase === 'answered' && status >= 200 && status < 300 && !rest.invalid,
          );
        }),
      );
    },
  );

  it('tries nothing again under a policy that is gone', () => {
    const gone = (attempt: EndedAttempt) => decideAfterAttempt(attempt, null, 0.5);
    expect(gone(ended('not_sent', null, 'forbidden'))).toEqual({ state: 'failed', reason: 'policy_unknown' });
    expect(gone(ended('maybe_received', null, 'deduplicated'))).toMatchObject({ state: 'ambiguous', delayMs: null });
  });
});
