import type { Policy } from '../model/policy.ts';
import type { Verdict } from '../model/verification.ts';

const LEAST_INCONCLUSIVE_MS = 60_000;

/**
 * How long (ms) a gate may be held by verifications of this verdict before somebody is told, although no webhook explains
 * it. A fault follows the debounce of webhooks; a question that could not be put is given longer, since it is no fault.
 */
export function incidentPatience(verdict: Verdict, policy: Pick<Policy, 'openAfterMs' | 'maxWaitMs'>): number {
  return verdict === 'inconclusive' ? Math.max(policy.maxWaitMs, LEAST_INCONCLUSIVE_MS) : policy.openAfterMs;
}
