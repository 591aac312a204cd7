import type { IncidentKind, IncidentState } from '../model/incident.ts';
import type { Layer, Verdict } from '../model/verification.ts';
import { DEPENDENCY_ORDER } from './decide-verdict.ts';
import { PASSED_STEP, runbookStep, SHARED_STEP, unstableStep } from './runbook.ts';

/** A verification, as far as the next step depends on it. */
export interface TriedRun {
  /** Null: of the devices and tunnels themselves, since no service depends on them. */
  readonly service: string | null;
  /** Of the gate, as the run began. */
  readonly generation: number;
  readonly startedAt: Date;
  readonly verdict: Verdict;
  readonly firstBroken: Layer | null;
  readonly runbook: string;
  readonly overtaken: boolean;
}

export interface NextStepFacts<R extends TriedRun> {
  readonly kind: IncidentKind;
  readonly state: IncidentState;
  /** Newest first; those of this episode and those that led to it. */
  readonly runs: readonly R[];
  /** Of its services; without any the devices and tunnels themselves are verified. */
  readonly gates: readonly { readonly service: string; readonly generation: number }[];
  /** Of one that flaps: when it settles if nothing changes until then; null while that is not known. */
  readonly calmAt: Date | null;
}

/** Where the newest runs break, and in which services. */
export interface BrokenNow<R extends TriedRun> {
  readonly layer: Layer;
  readonly run: R;
  /** Those that break at this layer, by name; null stands for the devices and tunnels themselves. */
  readonly services: readonly (string | null)[];
}

/** What is wrong now, and the one thing to do about it. */
export type NextStep<R extends TriedRun> =
  | { readonly kind: 'over'; readonly step: null }
  /** It comes and goes: what a run found may be otherwise a moment later, and none opens a gate. */
  | { readonly kind: 'unstable'; readonly step: string; readonly broken: BrokenNow<R> | null }
  | { readonly kind: 'broken'; readonly step: string; readonly broken: BrokenNow<R> }
  /** Nothing is known to be broken, and not all is known to have passed. `step`: null when only waiting is left. */
  | {
      readonly kind: 'unclear';
      readonly step: string | null;
      readonly run: R | null;
      readonly passed: number;
      readonly of: number;
    }
  | { readonly kind: 'passed'; readonly step: string };

/**
 * What a person is told to do next, the same wherever it is told. The first broken layer is the one that most stands on, over all
 * services, each by its newest run: a newer pass overrules an older fail, and a service that works says nothing of another.
 * A pass counts only under the generation that its gate has now: what was passed before the last disconnect is over. Before
 * any run has ended, what kind of outage it is says what to look at.
 */
export function findNextStep<R extends TriedRun>(facts: NextStepFacts<R>): NextStep<R> {
  const { kind, state } = facts;
  if (state === 'resolved') return { kind: 'over', step: null };
  const newest = newestOf(facts.runs);
  const broken = findBroken(newest);
  if (kind === 'flapping') return { kind: 'unstable', step: unstableStep(facts.calmAt), broken };
  if (broken !== null) return { kind: 'broken', step: stepOf(kind, broken), broken };
  const generationOf = new Map(facts.gates.map(({ service, generation }) => [service, generation]));
  const passed = newest.filter(
    ({ service, verdict, overtaken, generation }) =>
      verdict === 'healthy' && !overtaken && (service === null || generationOf.get(service) === generation),
  ).length;
  const of = facts.gates.length === 0 ? 1 : facts.gates.length;
  if (passed >= of) return { kind: 'passed', step: PASSED_STEP };
  const run = newest.find(({ verdict }) => verdict !== 'healthy') ?? null;
  return { kind: 'unclear', run, passed, of, step: run?.runbook ?? (passed > 0 ? null : stepOfKind(kind)) };
}

/** Where it breaks now, as far as that is known. */
export function brokenLayer(next: NextStep<TriedRun>): Layer | null {
  return 'broken' in next ? (next.broken?.layer ?? null) : null;
}

/** One run of each service: the newest that was not overtaken, else the newest. @param runs the newest first */
function newestOf<R extends TriedRun>(runs: readonly R[]): R[] {
  const oldestFirst = [...runs].reverse();
  const standing = oldestFirst.filter(({ overtaken }) => !overtaken);
  return [...new Map([...oldestFirst, ...standing].map((run) => [run.service, run])).values()];
}

function findBroken<R extends TriedRun>(newest: readonly R[]): BrokenNow<R> | null {
  const failed = newest.flatMap((run) => (run.firstBroken === null ? [] : [{ run, layer: run.firstBroken }]));
  const rank = (layer: Layer) => DEPENDENCY_ORDER.indexOf(layer);
  const [first] = failed.sort(
    (a, b) => rank(a.layer) - rank(b.layer) || b.run.startedAt.getTime() - a.run.startedAt.getTime(),
  );
  if (first === undefined) return null;
  const services = failed.filter(({ layer }) => layer === first.layer).map(({ run }) => run.service);
  return { ...first, services: services.sort() };
}

/** Many devices that fail at once share their cause: what helps one of them is not where to begin. */
function stepOf(kind: IncidentKind, { layer, run }: BrokenNow<TriedRun>): string {
  return kind === 'mass' && (layer === 'device' || layer === 'tunnel') ? SHARED_STEP : run.runbook;
}

function stepOfKind(kind: IncidentKind): string | null {
  if (kind === 'mass') return SHARED_STEP;
  if (kind === 'device') return runbookStep('device_offline');
  return kind === 'tunnel' ? runbookStep('tunnel_stopped') : null;
}
