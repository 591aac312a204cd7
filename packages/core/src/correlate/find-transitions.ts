import type { ConnectivityStatus } from '../model/subject.ts';

/** One observation of a subject; times in epoch ms. */
export interface ReportedStatus {
  /** Its ActionDate, however far off; null when it has none. */
  readonly at: number | null;
  readonly receivedAt: number;
  readonly status: ConnectivityStatus;
}

/**
 * When Tidegate heard (epoch ms, ascending) of each change of one subject between connected and disconnected. Dates only
 * order the observations: a clock that is hours off must not hide that a connection comes and goes. At equal dates
 * Disconnected comes last, as in the view. Of those without a date nobody knows the order, so they count for as many changes
 * as they can have been. How many there are is a function of the set: order and repeats do not matter. The first observation
 * changes nothing, so include the last one before the window. Source: DESIGN §5.
 */
export function findTransitions(observations: readonly ReportedStatus[]): number[] {
  const dated = observations.flatMap(({ at, ...rest }) => (at === null ? [] : [{ at, ...rest }]));
  const sorted = dated.sort((a, b) => a.at - b.at || rank(a.status) - rank(b.status) || a.receivedAt - b.receivedAt);
  const transitions: number[] = [];
  let previous = sorted[0]?.status;
  for (const { receivedAt, status } of sorted) {
    if (status !== previous) transitions.push(receivedAt);
    previous = status;
  }
  const undated = observations.filter(({ at }) => at === null);
  return [...transitions, ...mostChanges(undated)].sort((a, b) => a - b);
}

function mostChanges(undated: readonly ReportedStatus[]): number[] {
  const received = (wanted: ConnectivityStatus) => [
    ...new Set(undated.filter(({ status }) => status === wanted).map(({ receivedAt }) => receivedAt)),
  ];
  const [fewer, more] = [received('connected'), received('disconnected')].sort((a, b) => a.length - b.length);
  if (fewer === undefined || more === undefined || fewer.length === 0) return [];
  const changes = 2 * fewer.length - (fewer.length === more.length ? 1 : 0);
  return [...fewer, ...more].sort((a, b) => a - b).slice(-changes);
}

function rank(status: ConnectivityStatus): number {
  return status === 'connected' ? 0 : 1;
}
