import { count } from '../words/count.ts';
import type { Now } from './load-now.ts';

/** The one sentence that says whether to get up. */
export interface Headline {
  readonly text: string;
  /** Whether nothing that can be seen is wrong. */
  readonly well: boolean;
}

/** @param whole whether the key may see all services: only who sees everything is told that all is well */
export function headline({ incidents, gates, callbacks, health }: Now, whole: boolean): Headline {
  const review = (callbacks ?? [])
    .filter(({ state }) => state === 'needs_review')
    .reduce((sum, one) => sum + one.count, 0);
  const parts = [
    ...(incidents !== null && incidents.open > 0 ? [`${count(incidents.open, 'incident')} open`] : []),
    ...(gates !== null && gates.held.length > 0 ? [`${count(gates.held.length, 'gate')} held`] : []),
    ...(gates !== null && gates.forced.length > 0 ? [`${count(gates.forced.length, 'gate')} forced open`] : []),
    ...(review > 0 ? [`${count(review, 'callback')} to review`] : []),
    ...(health.well ? [] : ['Tidegate itself needs a look']),
  ];
  if (parts.length > 0) return { text: parts.join(', '), well: false };
  if (!whole || incidents === null || gates === null)
    return { text: 'Nothing is wrong that your key shows', well: true };
  return { text: gates.known === 0 ? 'No incident is open' : 'All is well', well: true };
}
