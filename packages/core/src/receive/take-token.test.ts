import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type RateRule, type TokenBucket, takeToken } from './take-token.ts';

const ruleArb: fc.Arbitrary<RateRule> = fc.record({
  perSecond: fc.integer({ min: 1, max: 1000 }),
  burst: fc.integer({ min: 1, max: 1000 }),
});
const gapsArb = fc.array(fc.oneof(fc.constant(0), fc.nat(5000)), { minLength: 1, maxLength: 200 });

/** When each request came and whether it got a token. */
function play(rule: RateRule, gapsMs: readonly number[]): { atMs: number; taken: boolean }[] {
  let bucket: TokenBucket | null = null;
  let atMs = 0;
  return gapsMs.map((gapMs) => {
    atMs += gapMs;
    const result = takeToken(bucket, rule, atMs);
    bucket = result.bucket;
    return { atMs, taken: result.taken };
  });
}

describe('a token bucket', () => {
  it('lets a burst through, then one per interval', () => {
    const rule = { perSecond: 2, burst: 3 };
    expect(play(rule, [0, 0, 0, 0, 499, 1, 0, 500]).map(({ taken }) => taken)).toEqual([
      true,
      true,
      true,
      false,
      false,
      true,
      false,
      true,
    ]);
  });

  it('never lets more through in any span than a burst and its rate', () => {
    fc.assert(
      fc.property(ruleArb, gapsArb, (rule, gapsMs) => {
        const taken = play(rule, gapsMs).filter((one) => one.taken);
        for (const [from, first] of taken.entries())
          for (const [offset, last] of taken.slice(from).entries())
            expect(offset + 1).toBeLessThanOrEqual(
              rule.burst + ((last.atMs - first.atMs) * rule.perSecond) / 1000 + 1e-6,
            );
      }),
    );
  });

  it('refuses nobody who keeps to the rate', () => {
    fc.assert(
      fc.property(ruleArb, fc.integer({ min: 1, max: 100 }), (rule, count) => {
        const gapMs = Math.ceil(1000 / rule.perSecond);
        expect(play(rule, Array(count).fill(gapMs)).every(({ taken }) => taken)).toBe(true);
      }),
    );
  });

  it('says when the next token is there', () => {
    fc.assert(
      fc.property(ruleArb, gapsArb, (rule, gapsMs) => {
        let bucket: TokenBucket | null = null;
        let atMs = 0;
        for (const gapMs of gapsMs) {
          atMs += gapMs;
          const result = takeToken(bucket, rule, atMs);
          bucket = result.bucket;
          if (result.taken) continue;
          expect(result.retryAfterMs).toBeGreaterThan(0);
          expect(takeToken(bucket, rule, atMs + result.retryAfterMs).taken).toBe(true);
        }
      }),
    );
  });

  it('gains nothing from a clock that went back', () => {
    const { bucket } = takeToken({ thousandths: 500, atMs: 1000 }, { perSecond: 1, burst: 5 }, 0);
    expect(bucket.thousandths).toBe(500);
  });
});
