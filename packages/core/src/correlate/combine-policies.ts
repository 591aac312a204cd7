import type { Policy } from '../model/policy.ts';

/**
 * The policy of a group that several services share: the most watchful value of each threshold, so that no owner is paged
 * later than asked for. A group without services follows `fallback`.
 */
export function combinePolicies(policies: readonly Policy[], fallback: Policy): Policy {
  const [first, ...rest] = policies;
  if (first === undefined) return fallback;
  return rest.reduce(
    (a, b) => ({
      ...a,
      openAfterMs: Math.min(a.openAfterMs, b.openAfterMs),
      maxWaitMs: Math.min(a.maxWaitMs, b.maxWaitMs),
      reopenWithinMs: Math.max(a.reopenWithinMs, b.reopenWithinMs),
      flap: {
        windowMs: Math.max(a.flap.windowMs, b.flap.windowMs),
        opensAt: Math.min(a.flap.opensAt, b.flap.opensAt),
        settlesAt: Math.min(a.flap.settlesAt, b.flap.settlesAt),
      },
    }),
    first,
  );
}
