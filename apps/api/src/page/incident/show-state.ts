import type { IncidentRow } from '@tidegate/store';
import type { MarkKind } from '../layout/mark.tsx';
import { INCIDENT_LABELS } from '../words/labels.ts';

const MARKS: Record<IncidentRow['state'], MarkKind> = { open: 'fail', acknowledged: 'busy', resolved: 'pass' };

/** How the state of an incident is told: an end that nothing proved is not told as one that was verified. */
export function showState({
  state,
  resolvedBy,
  mergedInto,
}: Pick<IncidentRow, 'state' | 'resolvedBy' | 'mergedInto'>): {
  readonly label: string;
  readonly mark: MarkKind;
} {
  if (mergedInto !== null) return { label: 'Merged', mark: 'skipped' };
  if (state === 'resolved' && resolvedBy === null) return { label: 'Ended by hand', mark: 'unknown' };
  return { label: INCIDENT_LABELS[state], mark: MARKS[state] };
}
