import type { RetryPolicy } from '@tidegate/core';
import type { Config } from '@tidegate/runtime';
import type { RampPolicies } from '@tidegate/store';

/** The release settings of a policy by its name; null when no config names it any more, and there is no default. */
function releaseOf(config: Config, policyName: string) {
  return (config.policies[policyName] ?? config.policies.default)?.release ?? null;
}

/** The bounds of retries under a policy; null when it is unknown. */
export function retryOf(config: Config, policyName: string): RetryPolicy | null {
  return releaseOf(config, policyName)?.retry ?? null;
}

/** The bounds of the ramp under a policy; an unknown one sends one at a time. */
export function rampOf(config: Config): RampPolicies {
  return (policyName) => releaseOf(config, policyName) ?? { canary: 1, maxPerSecond: 1 };
}
