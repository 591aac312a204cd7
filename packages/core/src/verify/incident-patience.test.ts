import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { incidentPatience } from './incident-patience.ts';

const policyArb = fc.record({ openAfterMs: fc.nat(600_000), maxWaitMs: fc.nat(600_000) });

describe('incidentPatience', () => {
  it('is the debounce for a fault, and never less than a minute for an open question', () => {
    fc.assert(
      fc.property(policyArb, (policy) => {
        expect(incidentPatience('agent_down', policy)).toBe(policy.openAfterMs);
        expect(incidentPatience('inconclusive', policy)).toBe(Math.max(policy.maxWaitMs, 60_000));
      }),
    );
  });
});
