import { GATE_WORDS, type GateReason } from '@tidegate/core';
import type { GateWithHand } from '@tidegate/store';
import { Badge } from '../layout/mark.tsx';
import { Since, Time } from '../layout/time.tsx';
import type { Now } from './load-now.ts';

const MOST = 12;

/** The gates that let nothing out, and those that a person forced open. */
export function GateSummary({ gates, at }: { gates: NonNullable<Now['gates']>; at: Date }) {
  const { held, forced, hands, known } = gates;
  return (
    <section id="gates" data-live="" aria-labelledby="gates-title">
      <h2 id="gates-title">Gates held</h2>
      {known === 0 ? <p class="empty">No service is configured yet: name one in tidegate.yaml.</p> : null}
      {known > 0 && held.length === 0 ? <p class="empty">No gate is held: every service may send.</p> : null}
      {held.length === 0 ? null : (
        <ul class="rows">
          {held.slice(0, MOST).map((gate) => (
            <li>
              <a data-item="" href={`/services/${gate.service}`}>
                {gate.service}
              </a>
              <Badge kind={gate.state === 'verifying' ? 'busy' : 'held'}>
                {gate.state === 'verifying' ? 'verifying' : 'held'}
              </Badge>
              <span class="meta">
                <Since at={new Date(gate.since)} now={at} />, because {GATE_WORDS[gate.reason as GateReason]}
                <HandWords hand={hands.get(gate.service)} />
              </span>
            </li>
          ))}
        </ul>
      )}
      {held.length > MOST ? (
        <p>
          <a class="onward" href="/services">
            {held.length - MOST} more
          </a>
        </p>
      ) : null}
      {forced.length === 0 ? null : <Forced forced={forced} />}
    </section>
  );
}

function Forced({ forced }: { forced: readonly GateWithHand[] }) {
  return (
    <>
      <h3>Forced open, without verification</h3>
      <ul class="rows">
        {forced.map((gate) => (
          <li>
            <a data-item="" href={`/services/${gate.service}`}>
              {gate.service}
            </a>
            <Badge kind="fail">forced open</Badge>
            <span class="meta">
              For everybody
              <HandWords hand={gate} />
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Who decided about a gate, why and until when. */
export function HandWords({ hand }: { hand: GateWithHand | undefined }) {
  if (hand === undefined || hand.hand === null) return null;
  return (
    <span class="meta">
      {'. '}
      {hand.handActor}: “{hand.handReason}”
      {hand.handExpiresAt === null ? null : (
        <>
          , until <Time at={hand.handExpiresAt} />
        </>
      )}
    </span>
  );
}
