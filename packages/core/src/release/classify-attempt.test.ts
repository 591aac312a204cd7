import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/support/verifies.ts';
import { classifyAttempt, mayHaveHappened } from './classify-attempt.ts';

const CONTRACTS = ['deduplicated', 'forbidden'] as const;
const answered = (status: number, repeat: (typeof CONTRACTS)[number]) =>
  classifyAttempt({ phase: 'answered', status }, repeat).next;

describe('classifyAttempt', () => {
  it(verifies('I7', 'never retries what may have been received, whatever the contract'), () => {
    const status = fc.option(fc.integer(), { nil: undefined });
    fc.assert(
      fc.property(status, fc.constantFrom(...CONTRACTS), (code, repeat) => {
        expect(classifyAttempt({ phase: 'maybe_received', status: code }, repeat).next).toBe('ambiguous');
      }),
    );
  });

  it(verifies('I7', 'after sending, retries a forbidden repeat only when the request was not taken up'), () => {
    for (let status = 0; status <= 700; status += 1) {
      expect(answered(status, 'forbidden') === 'retry').toBe([408, 425, 429].includes(status));
    }
  });

  it('retries what was never sent, under either contract', () => {
    for (const repeat of CONTRACTS) {
      expect(classifyAttempt({ phase: 'not_sent' }, repeat)).toEqual({ next: 'retry', reason: 'not_sent' });
      const denied = classifyAttempt({ phase: 'not_sent', addressDenied: true }, repeat);
      expect(denied).toEqual({ next: 'failed', reason: 'address_denied' });
    }
  });

  it.each([
    [199, 'ambiguous', 'ambiguous'],
    [200, 'delivered', 'delivered'],
    [204, 'delivered', 'delivered'],
    [299, 'delivered', 'delivered'],
    [301, 'failed', 'failed'],
    [308, 'failed', 'failed'],
    [400, 'failed', 'failed'],
    [404, 'failed', 'failed'],
    [408, 'retry', 'retry'],
    [409, 'failed', 'failed'],
    [425, 'retry', 'retry'],
    [429, 'retry', 'retry'],
    [499, 'failed', 'failed'],
    [500, 'retry', 'ambiguous'],
    [503, 'retry', 'ambiguous'],
    [599, 'retry', 'ambiguous'],
    [600, 'ambiguous', 'ambiguous'],
  ])('takes %i for %s, or %s when a repeat is forbidden', (status, deduplicated, forbidden) => {
    expect(answered(status, 'deduplicated')).toBe(deduplicated);
    expect(answered(status, 'forbidden')).toBe(forbidden);
  });

  it('delivers nothing but 2xx', () => {
    for (let status = 0; status <= 700; status += 1) {
      for (const repeat of CONTRACTS) {
        expect(answered(status, repeat) === 'delivered').toBe(status >= 200 && status < 300);
      }
    }
    expect(classifyAttempt({ phase: 'answered' }, 'deduplicated').next).toBe('ambiguous');
  });
});

describe(verifies('I7', 'mayHaveHappened'), () => {
  it('is never said of what was delivered, not taken up or never sent, and always of what ends unknown', () => {
    const outcome = fc.record({
      phase: fc.constantFrom('not_sent', 'maybe_received', 'answered'),
      status: fc.option(fc.integer({ min: 0, max: 700 }), { nil: undefined }),
    } as const);
    fc.assert(
      fc.property(outcome, (one) => {
        const forbidden = classifyAttempt(one, 'forbidden').next;
        // A destination that says 6xx has answered, and with what nobody knows.
        expect(mayHaveHappened(one)).toBe(forbidden === 'ambiguous');
      }),
    );
  });
});
