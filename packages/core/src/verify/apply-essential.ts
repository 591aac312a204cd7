import type { LayerResult } from '../model/verification.ts';

/** What a degraded readiness answer named, and what the service's owner calls essential. */
export interface EssentialFacts {
  /** Dependencies the agent reported as degraded; empty when it named none. */
  readonly degraded: readonly string[];
  /** Dependencies without which the service must not be called ready (`services[].essential`). */
  readonly essential: readonly string[];
}

/**
 * A `degraded` readiness passes unless it concerns an essential dependency; then it fails. If the agent did not say
 * which dependency is degraded and some are essential, it may be one of them, so it fails too. Source: DESIGN §6.
 */
export function applyEssential(results: readonly LayerResult[], facts: EssentialFacts): readonly LayerResult[] {
  const { degraded, essential } = facts;
  const concerned = degraded.length === 0 ? essential.length > 0 : degraded.some((name) => essential.includes(name));
  if (!concerned) return results;
  return results.map((result) => {
    const passesDegraded =
      result.layer === 'local_readiness' && result.outcome === 'pass' && result.reason === 'degraded';
    return passesDegraded ? { ...result, outcome: 'fail' } : result;
  });
}
