import type { LayerResult } from '../model/verification.ts';

/** The outcome of the probe of a place that should always answer; `failed` means our own way out is broken. */
export type ControlOutcome = 'passed' | 'failed' | 'not_configured';

/**
 * When the control probe failed too, a failing `public` or `application` layer says nothing about the service: it
 * becomes `unknown` with reason `control_failed`. Everything else is returned as it is. Source of the rule: DESIGN §6.
 */
export function applyControl(results: readonly LayerResult[], control: ControlOutcome): readonly LayerResult[] {
  if (control !== 'failed') return results;
  return results.map((result) => {
    const dialsOut = result.layer === 'public' || result.layer === 'application';
    if (!dialsOut || result.outcome !== 'fail') return result;
    return { ...result, outcome: 'unknown', reason: 'control_failed', detail: 'The control probe failed too.' };
  });
}
