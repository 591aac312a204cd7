import { VERDICT_WORDS } from '@tidegate/core';
import type { IncidentDetail, VerificationView } from '@tidegate/store';
import { Mark } from '../layout/mark.tsx';
import { LAYER_LABELS } from '../words/labels.ts';

/** What a tired person has to read first: the layer that is broken, and what to do about it. */
export function BrokenLayer({ incident }: { incident: IncidentDetail }) {
  if (incident.state === 'resolved') return <Over incident={incident} />;
  const latest = latestOf(incident);
  if (latest?.verdict === 'healthy') {
    return (
      <div class="broken broken-well">
        <p class="broken-label">Last verification</p>
        <p class="broken-layer">
          <Mark kind="pass" />
          Everything works
        </p>
        <p class="broken-step">It ends by itself once enough verifications in a row have passed.</p>
      </div>
    );
  }
  const layer = latest === undefined ? incident.firstBroken : latest.firstBroken;
  return (
    <div class={layer === null ? 'broken broken-unknown' : 'broken'}>
      <p class="broken-label">{layer === null ? 'No layer is known to be broken' : 'First broken layer'}</p>
      <p class="broken-layer">
        <Mark kind={layer === null ? 'unknown' : 'fail'} />
        {layer === null ? 'Not known yet' : LAYER_LABELS[layer]}
      </p>
      {latest === undefined ? (
        <p class="broken-step">It was not verified yet. The first verification comes by itself.</p>
      ) : (
        <>
          <p class="broken-verdict">{sentence(VERDICT_WORDS[latest.verdict])}</p>
          <p class="broken-step">
            <strong>Next step:</strong> {latest.runbook}
          </p>
        </>
      )}
    </div>
  );
}

/** The newest run that was not overtaken: what it found still counts. */
function latestOf({ verifications }: IncidentDetail): VerificationView | undefined {
  return verifications.find(({ overtaken }) => !overtaken) ?? verifications[0];
}

function Over({ incident }: { incident: IncidentDetail }) {
  const end = incident.timeline.findLast(({ event }) => /^incident\.(resolved|overridden|merged)$/.test(event));
  return (
    <div class="broken broken-well">
      <p class="broken-label">It is over</p>
      <p class="broken-layer">
        <Mark kind="pass" />
        Resolved
      </p>
      {end === undefined ? null : <p class="broken-step">{end.why}</p>}
    </div>
  );
}

function sentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}
