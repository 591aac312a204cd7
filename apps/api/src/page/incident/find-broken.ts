import type { Layer } from '@tidegate/core';
import type { VerificationView } from '@tidegate/store';
import { CHAIN } from '../words/labels.ts';
import type { LoadedIncident } from './load-incident.ts';

/** What the newest verification of each service says of an incident, taken together. */
export type Finding =
  | {
      readonly kind: 'broken';
      readonly layer: Layer;
      readonly run: VerificationView;
      /** Those that break at this layer; null stands for the devices and tunnels themselves. */
      readonly services: readonly (string | null)[];
    }
  /** Nothing is known to be broken, and not all is known to have passed. */
  | { readonly kind: 'unclear'; readonly run: VerificationView | null; readonly passed: number; readonly of: number }
  | { readonly kind: 'passed' };

/**
 * The first broken layer is the one that most stands on, over all services; a service that works says nothing of another. A pass
 * counts only under the generation that its gate has now: what was passed before the last disconnect is over.
 */
export function findBroken({ incident, gates }: Pick<LoadedIncident, 'incident' | 'gates'>): Finding {
  const newest = newestOf(incident.verifications);
  const rank = ({ firstBroken }: VerificationView) =>
    firstBroken === null ? CHAIN.length : CHAIN.indexOf(firstBroken);
  const [run] = newest.toSorted((a, b) => rank(a) - rank(b) || b.startedAt.getTime() - a.startedAt.getTime());
  if (run !== undefined && run.firstBroken !== null) {
    const layer = run.firstBroken;
    const services = newest.filter(({ firstBroken }) => firstBroken === layer).map(({ service }) => service);
    return { kind: 'broken', layer, run, services: services.toSorted() };
  }
  const generationOf = new Map(gates.map(({ service, generation }) => [service, generation]));
  const passes = newest.filter(
    ({ service, verdict, overtaken, generation }) =>
      verdict === 'healthy' && !overtaken && (service === null || generationOf.get(service) === generation),
  );
  const of = incident.services.length === 0 ? 1 : gates.length;
  if (of > 0 && passes.length >= of) return { kind: 'passed' };
  const unclear = newest.find(({ verdict }) => verdict !== 'healthy') ?? null;
  return { kind: 'unclear', run: unclear, passed: passes.length, of };
}

/** One run of each service: the newest that was not overtaken, else the newest. @param runs the newest first */
function newestOf(runs: readonly VerificationView[]): VerificationView[] {
  const oldestFirst = runs.toReversed();
  const standing = oldestFirst.filter(({ overtaken }) => !overtaken);
  return [...new Map([...oldestFirst, ...standing].map((run) => [run.service, run])).values()];
}
