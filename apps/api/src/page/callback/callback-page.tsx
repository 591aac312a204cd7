import type { CallbackDetail } from '@tidegate/store';
import { Badge } from '../layout/mark.tsx';
import { Time } from '../layout/time.tsx';
import { CALLBACK_LABELS } from '../words/labels.ts';
import { CALLBACK_MARKS } from './callbacks-page.tsx';

const PHASES = {
  not_sent: 'was not sent',
  maybe_received: 'may have been received',
  answered: 'was answered',
} as const;

/** One callback and each try, without anything that was sealed. */
export function CallbackPage({ callback }: { callback: CallbackDetail }) {
  const { id, service, state, reason, method, origin, safety, repeat, createdAt, finishedAt, tries } = callback;
  return (
    <>
      <h1>Callback of {service}</h1>
      <div id="callback" data-live="">
        <p>
          <Badge kind={CALLBACK_MARKS[state]}>{CALLBACK_LABELS[state]}</Badge>
          {reason === null ? null : <span class="meta"> {reason.replaceAll('_', ' ')}</span>}
        </p>
        <dl class="facts">
          <Fact name="Goes to" says={`${method} ${origin}`} />
          <Fact name="Service" says={service} />
          <Fact name="Its contract" says={`${safety}, a repeat is ${repeat}`} />
          <Fact name="Handed over" says={<Time at={createdAt} precise />} />
          {finishedAt === null ? null : <Fact name="Ended" says={<Time at={finishedAt} precise />} />}
          <Fact name="Id" says={id} />
        </dl>
        <h2>Tries</h2>
        {tries.length === 0 ? <p class="empty">It was not tried yet.</p> : null}
        <ol class="timeline">
          {tries.map((one) => (
            <li class="event">
              <Time at={one.startedAt} precise />
              <span>
                Try {one.number} {one.phase === null ? 'is under way' : PHASES[one.phase]}
                {one.status === null ? '' : ` with ${one.status}`}
                {one.latencyMs === null ? '' : ` after ${one.latencyMs} ms`}
                {one.reason === null ? '' : ` (${one.reason.replaceAll('_', ' ')})`}.
              </span>
            </li>
          ))}
        </ol>
      </div>
      {state === 'needs_review' ? (
        <p class="hint">
          Ask the destination whether it happened. Until a person has decided through the API, it is not sent again.
        </p>
      ) : null}
      <p>
        <a href={`/services/${service}`}>To the service</a>
      </p>
    </>
  );
}

function Fact({ name, says }: { name: string; says: unknown }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{says}</dd>
    </div>
  );
}
