import type { IncidentDetail } from '@tidegate/store';
import { Time } from '../layout/time.tsx';

const MOST = 150;

/** What happened, in words, the newest first. */
export function TimelinePart({ incident: { timeline } }: { incident: IncidentDetail }) {
  const shown = timeline.toReversed().slice(0, MOST);
  return (
    <section id="timeline" data-live="" aria-labelledby="timeline-title">
      <h2 id="timeline-title">What happened</h2>
      <ol class="timeline">
        {shown.map(({ at, event, why }) => (
          <li class={`event event-${event.split('.')[0]}`}>
            <Time at={at} precise />
            <span>{why}</span>
          </li>
        ))}
      </ol>
      {timeline.length > MOST ? (
        <p class="meta">
          The newest {MOST} of {timeline.length} are shown; the API has all.
        </p>
      ) : null}
    </section>
  );
}
