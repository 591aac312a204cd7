import { LAYERS, type Layer, type LayerOutcome, type LayerResult, type Verdict } from '../model/verification.ts';
import { applyControl, type ControlOutcome } from './apply-control.ts';
import { applyEssential, type EssentialFacts } from './apply-essential.ts';
import { type Inconclusive, inconclusiveStep, runbookStep } from './runbook.ts';

/** What a run knows besides its layers. Everything is optional: without it, no control probe and nothing essential. */
export interface VerdictFacts extends Partial<EssentialFacts> {
  readonly control?: ControlOutcome;
}

export interface VerdictDecision {
  readonly verdict: Verdict;
  /** The layer that names the verdict; null when healthy or inconclusive. */
  readonly firstBroken: Layer | null;
  /** Whether this run counts as a pass towards opening the gate; true exactly for `healthy`. */
  readonly passed: boolean;
  /** The next step for a person: one imperative sentence. */
  readonly runbook: string;
  /** Short plain remarks; hold layer names and reason codes only. */
  readonly notes: readonly string[];
}

type BrokenVerdict = Exclude<Verdict, 'healthy' | 'inconclusive'>;
type ByLayer = Record<Layer, LayerResult>;

/** Dependency order: what a layer stands on comes before it, so the first failing row names the outage. */
const TABLE: readonly { readonly layer: Layer; readonly verdict: BrokenVerdict }[] = [
  { layer: 'device', verdict: 'device_offline' },
  { layer: 'tunnel', verdict: 'tunnel_stopped' },
  { layer: 'local_liveness', verdict: 'agent_down' },
  { layer: 'local_readiness', verdict: 'agent_not_ready' },
  { layer: 'public', verdict: 'public_path_broken' },
  { layer: 'application', verdict: 'app_check_failed' },
];

/** The layers as one stands on another: the first that fails is the one a verdict names. */
export const DEPENDENCY_ORDER: readonly Layer[] = TABLE.map(({ layer }) => layer);

/** Used when a run lists a layer twice: the less reassuring result counts. */
const CAUTION: Record<LayerOutcome, number> = { skipped: 0, pass: 1, unknown: 2, fail: 3 };

/**
 * Names the outcome of one verification run for one service. Layers not listed count as skipped. A fail always blocks;
 * an unknown blocks too, except `device` and `tunnel` when `public` or `application` passes; nothing asked is never
 * healthy. Source of the rules: DESIGN §6.
 */
export function decideVerdict(results: readonly LayerResult[], facts: VerdictFacts = {}): VerdictDecision {
  const control = facts.control ?? 'not_configured';
  const essential = { degraded: facts.degraded ?? [], essential: facts.essential ?? [] };
  const layers = byLayer(applyEssential(applyControl(results, control), essential));
  const notes = describe(layers, control);

  const broken = TABLE.find((row) => layers[row.layer].outcome === 'fail');
  if (broken !== undefined) {
    const verdict = isDenied(layers[broken.layer]) ? 'access_denied' : broken.verdict;
    return { verdict, firstBroken: broken.layer, passed: false, runbook: runbookStep(verdict), notes };
  }
  const why = whyInconclusive(layers);
  if (why !== null) {
    return { verdict: 'inconclusive', firstBroken: null, passed: false, runbook: inconclusiveStep(why), notes };
  }
  return { verdict: 'healthy', firstBroken: null, passed: true, runbook: runbookStep('healthy'), notes };
}

function byLayer(results: readonly LayerResult[]): ByLayer {
  const layers = Object.fromEntries(LAYERS.map((layer) => [layer, notConfigured(layer)])) as ByLayer;
  for (const result of results) {
    if (CAUTION[result.outcome] >= CAUTION[layers[result.layer].outcome]) layers[result.layer] = result;
  }
  return layers;
}

function notConfigured(layer: Layer): LayerResult {
  return { layer, outcome: 'skipped', reason: 'not_configured', latencyMs: null, detail: 'Not configured.' };
}

function isDenied(result: LayerResult): boolean {
  return result.layer === 'application' && (result.reason === 'unauthorized' || result.reason === 'forbidden');
}

/** Null when what was asked is enough to call the service healthy. Assumes that no layer failed. */
function whyInconclusive(layers: ByLayer): Inconclusive | null {
  const reached = layers.public.outcome === 'pass' || layers.application.outcome === 'pass';
  const blocking = LAYERS.map((layer) => layers[layer]).filter(
    ({ layer, outcome }) => outcome === 'unknown' && !(reached && (layer === 'device' || layer === 'tunnel')),
  );
  if (blocking.some(({ reason }) => reason === 'control_failed')) return 'control_failed';
  if (blocking.some(({ reason }) => reason === 'reporter_silent')) return 'reporter_silent';
  if (blocking.some(({ reason }) => reason === 'unauthorized' || reason === 'forbidden')) return 'unauthorized';
  if (blocking.length > 0) return 'unanswered';
  return LAYERS.some((layer) => layers[layer].outcome === 'pass') ? null : 'nothing_configured';
}

function describe(layers: ByLayer, control: ControlOutcome): string[] {
  const notes: string[] = [];
  const all = LAYERS.map((layer) => layers[layer]);
  if (layers.device.outcome === 'fail' && layers.local_liveness.outcome === 'pass') {
    const ready = layers.local_readiness.outcome !== 'fail';
    notes.push(ready ? 'agent healthy, connectivity problem' : 'agent alive but not ready, and a connectivity problem');
  }
  if (control === 'failed') notes.push('control probe failed, so failures of public and application do not count');
  if (layers.local_readiness.outcome === 'pass' && layers.local_readiness.reason === 'degraded') {
    notes.push('readiness is degraded, nothing essential');
  }
  for (const { layer, outcome, reason } of all) {
    if (outcome === 'unknown') notes.push(`${layer} unknown: ${reason}`);
  }
  const failing = all.filter(({ outcome }) => outcome === 'fail').map(({ layer }) => layer);
  if (failing.length > 1) notes.push(`failing: ${failing.join(', ')}`);
  return notes;
}
