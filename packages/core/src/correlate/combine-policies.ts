import type { Policy } from '../model/policy.ts';

/**
 * The policy of a group that several services share: the most watchful value of each threshold, so that no owner is paged
 * later than asked for. What does not concern a group (verify, release) is the first one's. Without services: `fallback`.
 */
export function combinePolicies(policies: readonly Policy[], fallback: Policy): Policy {
  const [first] = policies;
  if (first === undefined) return fallback;
  const least = (value: (policy: Policy) => number) => Math.min(...policies.map(value));
  const most = (value: (policy: Policy) => number) => Math.max(...policies.map(value));
  return {
    ...first,
    openAfterMs: least((policy) => policy.openAfterMs),
    maxWaitMs: least((policy) => policy.maxWaitMs),
    reopenWithinMs: most((policy) => policy.reopenWithinMs),
    flap: {
      windowMs: most((policy) => policy.flap.windowMs),
      opensAt: least((policy) => policy.flap.opensAt),
      settlesAt: least((policy) => policy.flap.settlesAt),
    },
  };
}
