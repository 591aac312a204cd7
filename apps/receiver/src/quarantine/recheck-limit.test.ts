import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRecheckLimit } from './recheck-limit.ts';

describe('verifications that bodies nobody understood set off', () => {
  it('come at once, then at most once in 10 s per source that came about, and again after any pause that long', () => {
    const step = fc.tuple(fc.integer({ min: 1, max: 2 }), fc.nat(25_000), fc.boolean());
    const steps = fc.array(step, { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(steps, (came) => {
        const limit = createRecheckLimit();
        const last = new Map<number, number>();
        let nowMs = 0;
        for (const [source, waitMs, fails] of came) {
          nowMs += waitMs;
          const before = last.get(source);
          const allowed = limit.take(source, nowMs);
          expect(allowed).toBe(before === undefined || nowMs - before >= 10_000);
          if (!allowed) continue;
          if (fails) limit.giveBack(source);
          if (fails) last.delete(source);
          else last.set(source, nowMs);
        }
      }),
    );
  });
});
