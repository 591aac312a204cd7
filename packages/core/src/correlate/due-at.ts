import type { Policy } from '../model/policy.ts';

/** The unhandled observations of one group, as the pending row counts them; times in epoch ms of receipt. */
export interface Pending {
  readonly firstAt: number;
  readonly lastAt: number;
  readonly n: number;
  /** How many of the n were Disconnected; absent when the store did not count them. */
  readonly disconnects?: number;
}

/**
 * When a group must be decided (epoch ms): once it has been quiet for `openAfterMs`, and at the latest `maxWaitMs`
 * after the first unhandled observation, so that flapping never starves it (I10). Source of the rule: DESIGN §5.
 */
export function dueAt(
  pending: Pick<Pending, 'firstAt' | 'lastAt'>,
  policy: Pick<Policy, 'openAfterMs' | 'maxWaitMs'>,
): number {
  return Math.min(pending.lastAt + policy.openAfterMs, pending.firstAt + policy.maxWaitMs);
}
