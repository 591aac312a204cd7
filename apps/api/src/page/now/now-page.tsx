import { IncidentCard } from '../incident/incident-card.tsx';
import { Notice } from '../layout/notice.tsx';
import type { Viewer } from '../session/viewer.ts';
import { count } from '../words/count.ts';
import { CallbackSummary } from './callback-summary.tsx';
import { GateSummary } from './gate-summary.tsx';
import { headline } from './headline.ts';
import { HealthSummary } from './health-summary.tsx';
import type { Now } from './load-now.ts';
import { SilenceSummary } from './silence-summary.tsx';

/** What is wrong now, the most urgent first. */
export function NowPage({ now, viewer, did }: { now: Now; viewer: Viewer; did: string | undefined }) {
  const whole = viewer.services === null;
  const { incidents, gates, callbacks, silences, health } = now;
  const { text, well } = headline(now, whole);
  return (
    <>
      <Notice did={did} />
      <h1 id="headline" data-live="flash" class={well ? 'headline headline-well' : 'headline'}>
        {text}
      </h1>
      {incidents === null ? null : <OpenIncidents incidents={incidents} at={now.at} />}
      {silences === null ? null : <SilenceSummary silences={silences} ends={viewer.may('incidents:write')} />}
      <div class="columns">
        {gates === null ? null : <GateSummary gates={gates} at={now.at} />}
        {callbacks === null ? null : <CallbackSummary callbacks={callbacks} />}
        <HealthSummary health={health} at={now.at} whole={whole} />
      </div>
    </>
  );
}

function OpenIncidents({ incidents, at }: { incidents: NonNullable<Now['incidents']>; at: Date }) {
  const { items, mutes, open } = incidents;
  return (
    <section id="incidents" data-live="" aria-labelledby="incidents-title">
      <h2 id="incidents-title">Open incidents</h2>
      {items.length === 0 ? (
        <p class="empty">
          No incident is open. Those that are over are among the <a href="/incidents?state=resolved">resolved ones</a>.
        </p>
      ) : (
        <ul class="cards">
          {items.map((row) => (
            <IncidentCard row={row} now={at} mute={mutes.get(row.id)} />
          ))}
        </ul>
      )}
      {open > items.length ? (
        <p>
          <a class="onward" href="/incidents?state=open">
            {count(open - items.length, 'more open incident')}
          </a>
        </p>
      ) : null}
    </section>
  );
}
