import type { ConnectivityStatus } from '../model/subject.ts';

/** One dated observation of a subject; `at` is its ActionDate in epoch ms. */
export interface DatedStatus {
  readonly at: number;
  readonly status: ConnectivityStatus;
}

/**
 * The times (epoch ms, ascending) at which one subject changed between connected and disconnected, over its
 * observations sorted by date; at equal dates Disconnected comes last, as in the view. A function of the set: order and
 * repeats do not matter. The first observation changes nothing, so include the last one before the window. Source:
 * DESIGN §5.
 */
export function findTransitions(observations: readonly DatedStatus[]): number[] {
  const sorted = [...observations].sort((a, b) => a.at - b.at || rank(a.status) - rank(b.status));
  const transitions: number[] = [];
  let previous = sorted[0]?.status;
  for (const { at, status } of sorted) {
    if (status !== previous) transitions.push(at);
    previous = status;
  }
  return transitions;
}

function rank(status: ConnectivityStatus): number {
  return status === 'connected' ? 0 : 1;
}
