import type { CallbackState } from '@tidegate/core';
import type { CallbackCommand, CallbackDetail, ReviewDetail } from '@tidegate/store';
import { DurationField, ReasonField } from '../layout/order-form.tsx';
import type { Viewer } from '../session/viewer.ts';

export interface CallbackFormsProps {
  readonly callback: CallbackDetail;
  /** Null for what no person has to decide or decided on, and where the key may not look. */
  readonly review: ReviewDetail | null;
  readonly viewer: Viewer;
  readonly at: Date;
}

const CANCELLED_IN: readonly CallbackState[] = ['queued', 'held', 'retrying', 'needs_review'];

/** What a person can order about one callback. */
export function CallbackForms({ callback, review, viewer, at }: CallbackFormsProps) {
  const { id, state, deadlineAt } = callback;
  const decides = review !== null && state === 'needs_review';
  const overdue = deadlineAt !== null && deadlineAt <= at;
  return (
    <div class="acts">
      {decides ? <WordForm id={id} command="complete" /> : null}
      {decides ? <WordForm id={id} command="deny" /> : null}
      {decides && !overdue ? <ApproveForm id={id} payloadHash={review.payloadHash} /> : null}
      {viewer.may('callbacks:review') && state === 'failed' && !overdue ? <WordForm id={id} command="redrive" /> : null}
      {CANCELLED_IN.includes(state) && !decides ? <WordForm id={id} command="cancel" /> : null}
    </div>
  );
}

const WORDS = {
  complete: ['It happened', 'It ends as delivered, and nothing is sent.', 'Mark complete'],
  deny: ['Do not send it again', 'It ends as failed, and nothing is sent. It can still be redriven later.', 'Deny'],
  redrive: [
    'Send it again',
    'It waits for its gate and gets new retries. What may have been received asks for a review first.',
    'Redrive',
  ],
  cancel: ['Cancel it', 'Nothing more is sent, for good: it cannot be redriven.', 'Cancel the callback'],
} as const satisfies Partial<Record<CallbackCommand, readonly [title: string, hint: string, button: string]>>;

function WordForm({ id, command }: { id: string; command: keyof typeof WORDS }) {
  const [title, hint, button] = WORDS[command];
  return (
    <details id={`act-${command}`}>
      <summary>{title}</summary>
      <form method="post" action={`/callbacks/${id}/${command}`} class="stack">
        <p class="hint">{hint}</p>
        <ReasonField id={`${command}-reason`} />
        <button type="submit">{button}</button>
      </form>
    </details>
  );
}

function ApproveForm({ id, payloadHash }: { id: string; payloadHash: string }) {
  return (
    <details id="act-approve" class="danger">
      <summary>Send it once more</summary>
      <form method="post" action={`/callbacks/${id}/approve`} class="stack">
        <input type="hidden" name="payloadHash" value={payloadHash} />
        <p class="hint">One attempt, as soon as its gate is open; unused, the approval ends by itself.</p>
        <ReasonField id="approve-reason" />
        <DurationField id="approve-for" />
        <label class="check">
          <input type="checkbox" name="sure" value="yes" required />I know that it may have happened already
        </label>
        <button type="submit" class="danger-button">
          Approve
        </button>
      </form>
    </details>
  );
}
