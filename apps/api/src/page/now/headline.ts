import { count } from '../words/count.ts';
import type { Now } from './load-now.ts';

/** The one sentence that says whether to get up. */
export function headline({ incidents, gates, callbacks, health }: Now): string {
  const review = (callbacks ?? [])
    .filter(({ state }) => state === 'needs_review')
    .reduce((sum, one) => sum + one.count, 0);
  const parts = [
    ...(incidents !== null && incidents.open > 0 ? [`${count(incidents.open, 'incident')} open`] : []),
    ...(gates !== null && gates.held.length > 0 ? [`${count(gates.held.length, 'gate')} held`] : []),
    ...(review > 0 ? [`${count(review, 'callback')} to review`] : []),
  ];
  if (parts.length > 0) return parts.join(', ');
  return health.well ? 'All is well' : 'Tidegate itself needs a look';
}
