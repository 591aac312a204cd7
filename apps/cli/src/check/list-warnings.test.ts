import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listWarnings } from './list-warnings.ts';

const none = { liveness: false, readiness: false, device: false, tunnel: false, public: false, application: false };

describe('what a service is warned of', () => {
  it('is a gate that opens on what the agent says of itself, and nothing that sees the link', () => {
    expect(listWarnings({ ...none, liveness: true })).toHaveLength(1);
    expect(listWarnings({ ...none, readiness: true })).toHaveLength(1);
    expect(listWarnings(none)).toEqual([]);
  });

  it('is not that once any layer sees the link', () => {
    const layer = fc.constantFrom('device', 'tunnel', 'public', 'application');
    fc.assert(
      fc.property(fc.boolean(), fc.boolean(), layer, (liveness, readiness, seen) => {
        expect(listWarnings({ ...none, liveness, readiness, [seen]: true })).toEqual([]);
      }),
    );
  });
});
