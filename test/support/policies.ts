import type { Policy } from '@tidegate/core';
import type { Policies } from '@tidegate/store';

/** The defaults of the config, for tests that call the store themselves. */
const POLICY: Policy = {
  openAfterMs: 20_000,
  maxWaitMs: 120_000,
  reopenWithinMs: 600_000,
  flap: { windowMs: 600_000, opensAt: 4, settlesAt: 1 },
  verify: { passes: 2, everyMs: 5000, timeoutMs: 5000, edgeTimeoutMs: 35_000, recheckEveryMs: 300_000 },
  release: {
    canary: 1,
    maxPerSecond: 20,
    retry: { attempts: 8, baseDelayMs: 1000, maxDelayMs: 300_000, maxElapsedMs: 86_400_000 },
  },
};
export const POLICIES: Policies = {
  byName: { default: POLICY },
  fallback: POLICY,
  mass: { windowMs: 30_000, minDevices: 5, fraction: 0.5 },
  polls: true,
};
