import type { SilenceRow } from '@tidegate/store';
import { Time } from '../layout/time.tsx';
import type { LoadedIncident } from './load-incident.ts';

const MOST = 150;

interface Row {
  readonly at: Date;
  readonly room: string;
  readonly says: unknown;
}

/** What happened, in words, the newest first, with the silences that kept people from hearing of it. */
export function TimelinePart({ loaded: { incident, silences } }: { loaded: LoadedIncident }) {
  const told = incident.timeline.map(({ at, event, why }): Row => ({ at, room: event.split('.')[0] ?? '', says: why }));
  const muted = silences.map((silence) => toRow(silence, incident.openedAt));
  const rows = [...told, ...muted].sort((a, b) => a.at.getTime() - b.at.getTime());
  const shown = rows.toReversed().slice(0, MOST);
  return (
    <section id="timeline" data-live="" aria-labelledby="timeline-title">
      <h2 id="timeline-title">What happened</h2>
      <ol class="timeline">
        {shown.map(({ at, room, says }) => (
          <li class={`event event-${room}`}>
            <Time at={at} precise />
            <span>{says}</span>
          </li>
        ))}
      </ol>
      {rows.length > MOST ? (
        <p class="meta">
          The newest {MOST} of {rows.length} are shown; the API has all.
        </p>
      ) : null}
    </section>
  );
}

/** A silence that was there before the incident is told at its beginning. */
function toRow(silence: SilenceRow, openedAt: Date): Row {
  const { scope, target, targetName, actor, reason, createdAt, expiresAt, endedAt } = silence;
  const what = scope === 'all' ? 'everything' : (targetName ?? target);
  const says = (
    <>
      Pages about {what} {createdAt < openedAt ? 'were muted before it' : 'muted'} by {actor}{' '}
      {endedAt === null ? 'until ' : 'and heard again at '}
      <Time at={endedAt ?? expiresAt} />: {reason}
    </>
  );
  return { at: createdAt < openedAt ? openedAt : createdAt, room: 'silence', says };
}
