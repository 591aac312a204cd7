import type { Replay, ReplayedIncident } from './replay-model.ts';

/** One outage under both sets of thresholds; null where it opens no incident. */
export interface ReplayDifference {
  readonly change: 'same' | 'changed' | 'only_current' | 'only_proposed';
  readonly current: ReplayedIncident | null;
  readonly proposed: ReplayedIncident | null;
}

/** Pairs the incidents of two replays: those of one group that overlap in time, earliest first. */
export function compareReplays(current: Replay, proposed: Replay): ReplayDifference[] {
  const left = [...proposed.incidents];
  const found: ReplayDifference[] = current.incidents.map((incident) => {
    const index = left.findIndex((other) => other.group === incident.group && overlap(incident, other));
    const [match = null] = index < 0 ? [] : left.splice(index, 1);
    if (match === null) return { change: 'only_current', current: incident, proposed: null };
    return { change: content(incident) === content(match) ? 'same' : 'changed', current: incident, proposed: match };
  });
  for (const incident of left) found.push({ change: 'only_proposed', current: null, proposed: incident });
  return found.sort((a, b) => startOf(a) - startOf(b));
}

function overlap(a: ReplayedIncident, b: ReplayedIncident): boolean {
  const end = ({ resolvedAt }: ReplayedIncident) => resolvedAt ?? Number.POSITIVE_INFINITY;
  return Math.min(a.since, a.openedAt) <= end(b) && Math.min(b.since, b.openedAt) <= end(a);
}

function startOf({ current, proposed }: ReplayDifference): number {
  return Math.min(current?.openedAt ?? Number.POSITIVE_INFINITY, proposed?.openedAt ?? Number.POSITIVE_INFINITY);
}

/** What on-call would see; ids are counted up in each replay by itself. */
function content({ id: _, mergedInto, ...incident }: ReplayedIncident): string {
  return JSON.stringify({ ...incident, merged: mergedInto !== null });
}
