import type { CallbackDetail, ReviewDetail } from '@tidegate/store';
import { Badge } from '../layout/mark.tsx';
import { Notice } from '../layout/notice.tsx';
import { Time } from '../layout/time.tsx';
import { tellContract, tellEntry, tellReason, tellTry } from '../words/callback-words.ts';
import { CALLBACK_LABELS } from '../words/labels.ts';
import { CallbackForms, type CallbackFormsProps } from './callback-forms.tsx';
import { CALLBACK_MARKS } from './callbacks-page.tsx';

const DECISIONS = { approve: 'Approved', deny: 'Denied', complete: 'Marked complete' } as const;

/** One callback with each try and what people decided, without anything that was sealed. */
export function CallbackPage({ did, ...props }: CallbackFormsProps & { readonly did: string | undefined }) {
  const { callback, review, viewer } = props;
  const { id, service, state, reason, method, origin, createdAt, finishedAt, tries } = callback;
  const { deadlineAt, reconciliation } = callback;
  const unknownSince = state === 'needs_review' ? (review?.unknownSince ?? null) : null;
  return (
    <>
      <Notice did={did} />
      <h1>Callback of {service}</h1>
      <div id="callback" data-live="">
        <p>
          <Badge kind={CALLBACK_MARKS[state]}>{CALLBACK_LABELS[state]}</Badge>
          {reason === null ? null : <span class="meta"> {tellReason(reason)}</span>}
        </p>
        <dl class="facts">
          <Fact name="Id" says={<code>{id}</code>} />
          <Fact name="Goes to" says={`${method} ${origin}`} />
          <Fact name="Service" says={service} />
          <Fact name="Its contract" says={tellContract(callback)} />
          <Fact name="Handed over" says={<Time at={createdAt} precise />} />
          {deadlineAt === null ? null : <Fact name="Deadline" says={<Time at={deadlineAt} precise />} />}
          {finishedAt === null ? null : <Fact name="Ended" says={<Time at={finishedAt} precise />} />}
          {unknownSince === null ? null : (
            <Fact name="Outcome unknown since" says={<Time at={unknownSince} precise />} />
          )}
          {reconciliation === null ? null : <Fact name="Reconciled" says={tellEntry(reconciliation)} />}
          {review === null ? null : <Fact name="Payload hash" says={review.payloadHash} />}
        </dl>
        <Tries tries={tries} />
        {review === null || review.decisions.length === 0 ? null : <Decisions decisions={review.decisions} />}
      </div>
      <div id="orders" data-live="">
        {state === 'needs_review' ? (
          <p class="hint">
            {HINTS[reason ?? ''] ?? null}
            {tries.length === 0 ? null : <Quote id={id} />}
            Until a person has decided, it is not sent again
            {viewer.may('callbacks:review') ? '' : '; your API key would need callbacks:review for it'}.
          </p>
        ) : null}
        <CallbackForms {...props} />
      </div>
      <p>
        <a class="onward" href={`/services/${service}`}>
          To the service
        </a>
      </p>
    </>
  );
}

function Tries({ tries }: Pick<CallbackDetail, 'tries'>) {
  return (
    <>
      <h2>Tries</h2>
      {tries.length === 0 ? <p class="empty">It was not tried yet.</p> : null}
      <ol class="timeline">
        {tries.map((one) => (
          <li class="event">
            <Time at={one.startedAt} precise />
            <span>{tellTry(one)}</span>
          </li>
        ))}
      </ol>
    </>
  );
}

/** What the receiving side finds it by. */
function Quote({ id }: { id: string }) {
  return (
    <>
      Ask the destination whether the request with the header <code>webhook-id: {id}</code> was carried out.{' '}
    </>
  );
}

/** Of what waits for a person for another reason than that its outcome is unknown. */
const HINTS: Readonly<Record<string, string>> = {
  service_removed: 'The config does not name its service any more; once it is back under its name, this can be sent. ',
  deadline_passed: 'Its deadline has passed, so it may not be sent any more. ',
};

function Decisions({ decisions }: { decisions: ReviewDetail['decisions'] }) {
  return (
    <>
      <h2>Decisions</h2>
      <ol class="timeline">
        {decisions.map(({ decision, actor, reason, decidedAt, expiresAt, usedAt }) => (
          <li class="event">
            <Time at={decidedAt} precise />
            <span>
              {DECISIONS[decision]} by {actor}: {reason}
              {expiresAt === null ? null : (
                <span class="meta">
                  {' '}
                  ({usedAt === null ? 'good until ' : 'used '}
                  <Time at={usedAt ?? expiresAt} />)
                </span>
              )}
            </span>
          </li>
        ))}
      </ol>
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
