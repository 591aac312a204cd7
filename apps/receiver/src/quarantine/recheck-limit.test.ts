import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRecheckLimit } from './recheck-limit.ts';

describe('verifications that malformed bodies set off', () => {
  it('come at once, then at most once in 10 s per source, and again after any pause that long', () => {
    const steps = fc.array(fc.tuple(fc.integer({ min: 1, max: 2 }), fc.nat(25_000)), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(steps, (came) => {
        const may = createRecheckLimit();
        const last = new Map<number, number>();
        let nowMs = 0;
        for (const [source, waitMs] of came) {
          nowMs += waitMs;
          const before = last.get(source);
          const allowed = may(source, nowMs);
          expect(allowed).toBe(before === undefined || nowMs - before >= 10_000);
          if (allowed) last.set(source, nowMs);
        }
      }),
    );
  });
});
