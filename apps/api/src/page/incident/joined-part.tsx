import { type JoinReason, WHY_WORDS } from '@tidegate/core';
import { count } from '../words/count.ts';
import type { LoadedIncident } from './load-incident.ts';

const MOST = 50;

/** What belongs to the incident, and why it was joined. */
export function JoinedPart({ loaded: { incident, whole } }: { loaded: LoadedIncident }) {
  if (!whole) return null;
  const { subjects, subjectCount } = incident;
  return (
    <section id="joined" data-live="" aria-labelledby="joined-title">
      <h2 id="joined-title">What belongs to it, and why</h2>
      <ul class="rows">
        {subjects.slice(0, MOST).map(({ alias, name, type, why }) => (
          <li>
            <span>
              {type === 'device' ? 'Device' : 'Tunnel'} <strong>{name ?? alias}</strong>
            </span>
            <span class="meta">{WHY_WORDS[why as JoinReason]}</span>
          </li>
        ))}
      </ul>
      {subjectCount > MOST ? <p class="meta">And {count(subjectCount - MOST, 'more subject')}.</p> : null}
    </section>
  );
}
