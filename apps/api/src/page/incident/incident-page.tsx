import { Badge } from '../layout/mark.tsx';
import { Notice } from '../layout/notice.tsx';
import { Since, Time } from '../layout/time.tsx';
import type { Viewer } from '../session/viewer.ts';
import { KIND_LABELS } from '../words/labels.ts';
import { showDuration } from '../words/show-duration.ts';
import { BrokenLayer } from './broken-layer.tsx';
import { HeldPart } from './held-part.tsx';
import { AcknowledgeForm, IncidentForms } from './incident-forms.tsx';
import { JoinedPart } from './joined-part.tsx';
import type { LoadedIncident } from './load-incident.ts';
import { MuteLine } from './mute-line.tsx';
import { TimelinePicture } from './picture/timeline-picture.tsx';
import { showState } from './show-state.ts';
import { TimelinePart } from './timeline-part.tsx';
import { VerificationPart } from './verification-part.tsx';

/** One outage: what is broken, what to do, what is held, and how it came about. */
export function IncidentPage({
  loaded,
  viewer,
  did,
}: {
  loaded: LoadedIncident;
  viewer: Viewer;
  did?: string | undefined;
}) {
  const { incident } = loaded;
  return (
    <>
      <Notice did={did} />
      <div id="head" data-live="flash">
        <h1>
          {KIND_LABELS[incident.kind]}: {incident.groupName ?? incident.groupAlias}
        </h1>
        <StateLine loaded={loaded} />
        <MuteLine mute={loaded.mute} />
        <BrokenLayer loaded={loaded} />
      </div>
      <div id="first-act" data-live="">
        {viewer.may('incidents:write') && incident.state === 'open' ? <AcknowledgeForm id={incident.id} /> : null}
      </div>
      <p id="summary" data-live="" class="lead">
        {incident.summary}
      </p>
      <HeldPart loaded={loaded} />
      <VerificationPart loaded={loaded} />
      <TimelinePicture loaded={loaded} />
      <JoinedPart loaded={loaded} />
      <IncidentForms loaded={loaded} viewer={viewer} />
      <TimelinePart incident={incident} />
    </>
  );
}

function StateLine({ loaded: { incident, at } }: { loaded: LoadedIncident }) {
  const { state, openedAt, since, resolvedAt, mergedInto, reopened } = incident;
  const { label, mark } = showState(incident);
  const acknowledged = incident.timeline.findLast(({ event }) => event === 'incident.acknowledged');
  return (
    <p class="meta">
      <Badge kind={mark}>{label}</Badge>
      <span>
        since <Time at={since} />
        {resolvedAt === null ? (
          <>
            , <Since at={since} now={at} />
          </>
        ) : (
          <>
            {' '}
            until <Time at={resolvedAt} />, {showDuration(resolvedAt.getTime() - since.getTime())}
          </>
        )}
      </span>
      {state === 'acknowledged' && acknowledged !== undefined ? <span>{acknowledged.why}</span> : null}
      {reopened > 0 ? (
        <span>
          Reopened {reopened}×, opened first <Time at={openedAt} />.
        </span>
      ) : null}
      {mergedInto === null ? null : (
        <span>
          Merged into <a href={`/incidents/${mergedInto}`}>another incident</a>.
        </span>
      )}
    </p>
  );
}
