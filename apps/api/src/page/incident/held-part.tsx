import { GATE_WORDS, type GateReason } from '@tidegate/core';
import { Since } from '../layout/time.tsx';
import { HandWords } from '../now/gate-summary.tsx';
import { GateBadge } from '../service/gate-badge.tsx';
import { count } from '../words/count.ts';
import type { LoadedIncident } from './load-incident.ts';

const MOST = 20;

/** The gates of its services, and the callbacks that wait behind them. */
export function HeldPart({ loaded }: { loaded: LoadedIncident }) {
  const { incident, gates, hands, whole, at } = loaded;
  if (incident.services.length === 0) return null;
  return (
    <section aria-labelledby="held-title">
      <h2 id="held-title">What is held</h2>
      <ul id="held" data-live="" class="rows">
        {heldFirst(gates)
          .slice(0, MOST)
          .map((gate) => (
            <li>
              <a data-item="" href={`/services/${gate.service}`}>
                {gate.service}
              </a>
              <GateBadge gate={gate} hand={hands.get(gate.service)} />
              <span class="meta">
                <Since at={new Date(gate.since)} now={at} />
                {gate.decision === 'held' ? `, because ${GATE_WORDS[gate.reason as GateReason]}` : null}
                <HandWords hand={hands.get(gate.service)} />
              </span>
            </li>
          ))}
      </ul>
      {gates.length > MOST ? <p class="meta">And {count(gates.length - MOST, 'more service')}.</p> : null}
      {whole ? <Waiting callbacks={incident.callbacks} /> : null}
    </section>
  );
}

function heldFirst(gates: LoadedIncident['gates']): LoadedIncident['gates'] {
  return gates.toSorted((a, b) => Number(a.decision === 'allowed') - Number(b.decision === 'allowed'));
}

function Waiting({ callbacks }: { callbacks: LoadedIncident['incident']['callbacks'] }) {
  const { held = 0, ambiguous = 0, needs_review: review = 0, delivered = 0 } = callbacks;
  return (
    <p id="waiting" data-live="">
      {count(held, 'callback')} held, {ambiguous} with an outcome not known yet,{' '}
      {review > 0 ? <strong>{review} to review</strong> : '0 to review'}, {delivered} delivered since it opened.
    </p>
  );
}
