import { LAYER_WORDS } from '@tidegate/core';
import type { IncidentRow } from '@tidegate/store';
import { Badge, type MarkKind } from '../layout/mark.tsx';
import { Since, Time } from '../layout/time.tsx';
import { INCIDENT_LABELS, KIND_LABELS } from '../words/labels.ts';
import { showDuration } from '../words/show-duration.ts';

const MARKS: Record<IncidentRow['state'], MarkKind> = { open: 'fail', acknowledged: 'busy', resolved: 'pass' };

/** An incident in a list. */
export function IncidentCard({ row, now }: { row: IncidentRow; now: Date }) {
  return (
    <li class={`card card-${row.state}`}>
      <a class="card-link" data-item="" href={`/incidents/${row.id}`}>
        {KIND_LABELS[row.kind]}: {row.groupName ?? row.groupAlias}
      </a>
      {row.firstBroken === null || row.state === 'resolved' ? null : (
        <p class="card-broken">First broken: {LAYER_WORDS[row.firstBroken]}</p>
      )}
      <p>{row.summary}</p>
      <p class="meta">
        <Badge kind={MARKS[row.state]}>{INCIDENT_LABELS[row.state]}</Badge>
        {row.resolvedAt === null ? (
          <span>
            since <Time at={row.openedAt} />, <Since at={row.openedAt} now={now} />
          </span>
        ) : (
          <span>
            <Time at={row.openedAt} />, lasted {showDuration(row.resolvedAt.getTime() - row.openedAt.getTime())}
          </span>
        )}
        {row.reopened > 0 ? <span>reopened {row.reopened}×</span> : null}
      </p>
    </li>
  );
}
