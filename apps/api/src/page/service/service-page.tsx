import type { IncidentRow, WaitingCallbacks } from '@tidegate/store';
import { IncidentCard } from '../incident/incident-card.tsx';
import type { Mute } from '../incident/load-mutes.ts';
import { Notice } from '../layout/notice.tsx';
import { CallbackSummary } from '../now/callback-summary.tsx';
import type { Viewer } from '../session/viewer.ts';
import { FlapStrip } from './flap-strip.tsx';
import { GateForms } from './gate-forms.tsx';
import type { LoadedService } from './load-services.ts';
import { Availability, GateState } from './service-row.tsx';

export interface ServicePageProps {
  readonly loaded: LoadedService;
  /** Null where the key may not look. */
  readonly incidents: readonly IncidentRow[] | null;
  readonly mutes: ReadonlyMap<string, Mute>;
  readonly callbacks: readonly WaitingCallbacks[] | null;
  readonly viewer: Viewer;
  readonly at: Date;
  readonly did: string | undefined;
}

/** One service: whether it may send, how it fared, what waits for it, and what a person can order. */
export function ServicePage({ loaded, incidents, mutes, callbacks, viewer, at, did }: ServicePageProps) {
  const { gate, record, hand } = loaded;
  return (
    <>
      <Notice did={did} />
      <h1>{gate.service}</h1>
      <div id="gate" data-live="">
        <GateState loaded={loaded} at={at} />
      </div>
      <div id="acts" data-live="">
        <GateForms gate={gate} hand={hand} viewer={viewer} back={`/services/${gate.service}`} named={false} />
      </div>
      <section id="record" data-live="" aria-labelledby="record-title">
        <h2 id="record-title">How it fared</h2>
        <FlapStrip service={gate.service} strip={record.strip} />
        <p class="axis">
          <span>24 hours ago</span>
          <span>now</span>
        </p>
        <Availability loaded={loaded} at={at} />
      </section>
      {callbacks === null ? null : <CallbackSummary callbacks={callbacks} />}
      {incidents === null ? null : (
        <section id="incidents" data-live="" aria-labelledby="incidents-title">
          <h2 id="incidents-title">Its incidents</h2>
          {incidents.length === 0 ? (
            <p class="empty">There was none.</p>
          ) : (
            <ul class="cards">
              {incidents.map((row) => (
                <IncidentCard row={row} now={at} mute={mutes.get(row.id)} />
              ))}
            </ul>
          )}
        </section>
      )}
    </>
  );
}
