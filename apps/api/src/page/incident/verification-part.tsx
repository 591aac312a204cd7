import { VERDICT_WORDS } from '@tidegate/core';
import type { VerificationView } from '@tidegate/store';
import { Mark } from '../layout/mark.tsx';
import { Time } from '../layout/time.tsx';
import { count } from '../words/count.ts';
import { CHAIN, LAYER_LABELS, OUTCOME_LABELS } from '../words/labels.ts';
import { LayerChain, showLatency } from './layer-chain.tsx';
import type { LoadedIncident } from './load-incident.ts';

/** More would push what can be done off a phone; the next are behind a fold. */
const MOST_CHAINS = 2;
const MOST_FOLDED = 4;
const MOST_RUNS = 15;

/** The newest verification of each service as a chain, and the ones before as rows. */
export function VerificationPart({ loaded: { incident } }: { loaded: LoadedIncident }) {
  const { verifications } = incident;
  const newest = [...new Map(verifications.toReversed().map((run) => [run.service, run])).values()];
  const named = incident.services.length > 1;
  const folded = newest.slice(MOST_CHAINS, MOST_CHAINS + MOST_FOLDED);
  const rest = newest.length - MOST_CHAINS - folded.length;
  return (
    <section id="verification" data-live="" aria-labelledby="verification-title">
      <h2 id="verification-title">Layer by layer</h2>
      {newest.length === 0 ? <p class="empty">No verification has ended since it opened.</p> : null}
      {newest.slice(0, MOST_CHAINS).map((run) => (
        <Chain run={run} />
      ))}
      {folded.length === 0 ? null : (
        <details id="more-chains">
          <summary>The same of {count(folded.length, 'more service')}</summary>
          {folded.map((run) => (
            <Chain run={run} />
          ))}
        </details>
      )}
      {rest > 0 ? (
        <p>
          {count(rest, 'more service')} {rest === 1 ? 'was' : 'were'} verified.
        </p>
      ) : null}
      {verifications.length > newest.length ? <Runs runs={verifications} named={named} /> : null}
    </section>
  );
}

function Chain({ run }: { run: VerificationView }) {
  return (
    <div class="run">
      <h3>
        {run.service ?? 'Devices and tunnels'} <span class="meta">at </span>
        <Time at={run.startedAt} precise />
        {run.overtaken ? <span class="meta"> (overtaken: something happened while it ran)</span> : null}
      </h3>
      <LayerChain layers={run.layers} firstBroken={run.firstBroken} />
    </div>
  );
}

function Runs({ runs, named }: { runs: readonly VerificationView[]; named: boolean }) {
  return (
    <details id="runs">
      <summary>All runs, newest first</summary>
      <section class="scroll" tabindex={0} aria-label="Verification runs">
        <table class="runs">
          <thead>
            <tr>
              <th scope="col">Begun</th>
              {named ? <th scope="col">Service</th> : null}
              {CHAIN.map((layer) => (
                <th scope="col">{LAYER_LABELS[layer]}</th>
              ))}
              <th scope="col">Verdict</th>
            </tr>
          </thead>
          <tbody>
            {runs.slice(0, MOST_RUNS).map((run) => (
              <Run run={run} named={named} />
            ))}
          </tbody>
        </table>
      </section>
      {runs.length > MOST_RUNS ? <p class="meta">The newest {MOST_RUNS} are shown.</p> : null}
    </details>
  );
}

function Run({ run, named }: { run: VerificationView; named: boolean }) {
  return (
    <tr>
      <th scope="row">
        <Time at={run.startedAt} precise />
      </th>
      {named ? <td>{run.service ?? 'Devices and tunnels'}</td> : null}
      {CHAIN.map((layer) => {
        const found = run.layers.find((one) => one.layer === layer);
        const outcome = found?.outcome ?? 'skipped';
        return (
          <td class={`cell cell-${outcome}`}>
            <Mark kind={outcome} />
            <span class="hidden">{OUTCOME_LABELS[outcome]}</span>
            <span class="ms">{showLatency(found?.latencyMs)}</span>
          </td>
        );
      })}
      <td>
        {VERDICT_WORDS[run.verdict]}
        {run.overtaken ? ' (overtaken)' : ''}
      </td>
    </tr>
  );
}
