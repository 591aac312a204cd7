import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/support/verifies.ts';
import { decideLookup, type LookupFacts } from './decide-lookup.ts';
import { judgeStatus } from './status-contract.ts';

const POLICY = { attempts: 3, baseDelayMs: 1000, maxDelayMs: 8000, maxElapsedMs: 60_000 };
const FACTS: LookupFacts = {
  result: 'unknown',
  repeat: 'forbidden',
  unknownForMs: 0,
  settleAfterMs: 10_000,
  canRetry: true,
  lookups: 1,
};
const decide = (change: Partial<LookupFacts>) => decideLookup({ ...FACTS, ...change }, POLICY, 0.5);

describe('decideLookup', () => {
  it('closes what is complete, at any time and under either contract', () => {
    for (const repeat of ['deduplicated', 'forbidden'] as const) {
      expect(decide({ result: 'complete', repeat })).toMatchObject({ state: 'delivered', outcome: 'complete' });
    }
  });

  it(verifies('I7', 'believes a "not found" only after settleAfter'), () => {
    const early = decide({ result: 'not_found', unknownForMs: 9_999 });
    expect(early).toMatchObject({ state: 'ambiguous', reason: 'status_not_settled', againMs: 1, disproves: false });
    const settled = decide({ result: 'not_found', unknownForMs: 10_000 });
    expect(settled).toMatchObject({ state: 'retrying', outcome: 'not_started', disproves: true });
    expect(decide({ result: 'not_found', unknownForMs: 10_000, canRetry: false })).toMatchObject({ state: 'failed' });
  });

  it('asks a destination that deduplicates again under the same key, without waiting', () => {
    for (const result of ['unknown', 'not_found'] as const) {
      const decided = decide({ result, repeat: 'deduplicated' });
      expect(decided).toMatchObject({ state: 'retrying', outcome: 'ambiguous', disproves: false });
    }
    expect(decide({ repeat: 'deduplicated', canRetry: false }).state).toBe('needs_review');
  });

  it(verifies('I9', 'looks again a bounded number of times and for a bounded time, then asks a person'), () => {
    expect(decide({ lookups: 2 })).toMatchObject({ state: 'ambiguous', againMs: 1000 });
    expect(decide({ lookups: 3 })).toMatchObject({ state: 'needs_review', reason: 'status_unknown' });
    expect(decide({ unknownForMs: 70_000 }).state).toBe('needs_review');
    expect(decideLookup(FACTS, null, 0.5).state).toBe('needs_review');
  });

  it(verifies('I7', 'lets a forbidden repeat go only with proof'), () => {
    const facts = fc.record({
      result: fc.constantFrom('complete' as const, 'not_found' as const, 'unknown' as const),
      unknownForMs: fc.integer({ min: 0, max: 100_000 }),
      settleAfterMs: fc.integer({ min: 0, max: 100_000 }),
      canRetry: fc.boolean(),
      lookups: fc.integer({ min: 1, max: 5 }),
    });
    fc.assert(
      fc.property(facts, (one) => {
        const decided = decide(one);
        const proved = one.result === 'not_found' && one.unknownForMs >= one.settleAfterMs;
        expect(decided.state === 'retrying').toBe(proved && one.canRetry);
        expect(decided.disproves).toBe(proved);
        expect(decided.againMs !== null).toBe(decided.state === 'ambiguous');
      }),
    );
  });
});

describe('judgeStatus', () => {
  const contract = { complete: { status: 200, bodyIncludes: '"done"' }, notFound: { status: 404 } };

  it.each([
    [200, '{"state":"done"}', 'complete'],
    [200, '{"state":"pending"}', 'unknown'],
    [404, '', 'not_found'],
    [404, 'any page', 'not_found'],
    [500, '"done"', 'unknown'],
    [302, '', 'unknown'],
  ])('reads %i %s as %s', (status, body, result) => {
    expect(judgeStatus(contract, status, body)).toBe(result);
  });

  it('takes what fits both descriptions for neither', () => {
    expect(
      judgeStatus({ complete: { status: 200 }, notFound: { status: 200, bodyIncludes: 'none' } }, 200, 'none'),
    ).toBe('unknown');
  });
});
