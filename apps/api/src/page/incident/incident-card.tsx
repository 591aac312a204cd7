import { LAYER_WORDS } from '@tidegate/core';
import type { IncidentRow } from '@tidegate/store';
import { Badge } from '../layout/mark.tsx';
import { Since, Time } from '../layout/time.tsx';
import { KIND_LABELS } from '../words/labels.ts';
import { showDuration } from '../words/show-duration.ts';
import type { Mute } from './load-mutes.ts';
import { MuteLine } from './mute-line.tsx';
import { showState } from './show-state.ts';

/** An incident in a list. */
export function IncidentCard({ row, now, mute }: { row: IncidentRow; now: Date; mute: Mute | undefined }) {
  const { label, mark } = showState(row);
  return (
    <li class={`card card-${mark}`}>
      <a class="card-link" data-item="" href={`/incidents/${row.id}`}>
        {KIND_LABELS[row.kind]}: {row.groupName ?? row.groupAlias}
      </a>
      {row.firstBroken === null || row.state === 'resolved' || row.kind === 'flapping' ? null : (
        <p class="card-broken">First broken: {LAYER_WORDS[row.firstBroken]}</p>
      )}
      <p>{row.summary}</p>
      <MuteLine mute={mute} />
      <p class="meta">
        <Badge kind={mark}>{label}</Badge>
        {row.resolvedAt === null ? (
          <span>
            since <Time at={row.since} />, <Since at={row.since} now={now} />
          </span>
        ) : (
          <span>
            <Time at={row.since} />, lasted {showDuration(row.resolvedAt.getTime() - row.since.getTime())}
          </span>
        )}
        {row.reopened > 0 ? (
          <span>
            reopened {row.reopened}×, first <Time at={row.openedAt} />
          </span>
        ) : null}
      </p>
    </li>
  );
}
