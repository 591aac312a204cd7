import type { CallbackState } from '@tidegate/core';
import type { WaitingCallbacks } from '@tidegate/store';
import { CALLBACK_LABELS } from '../words/labels.ts';

/** The order in which they matter to a person. */
const ORDER: readonly CallbackState[] = ['needs_review', 'ambiguous', 'held', 'retrying', 'queued', 'sending'];

/** How many callbacks wait, and for what. */
export function CallbackSummary({ callbacks }: { callbacks: readonly WaitingCallbacks[] }) {
  const total = (state: CallbackState) =>
    callbacks.filter((one) => one.state === state).reduce((sum, one) => sum + one.count, 0);
  const states = ORDER.filter((state) => total(state) > 0 || state === 'needs_review' || state === 'held');
  return (
    <section id="callbacks" data-live="" aria-labelledby="callbacks-title">
      <h2 id="callbacks-title">Callbacks waiting</h2>
      {callbacks.length === 0 ? <p class="empty">None waits.</p> : null}
      <ul class="numbers">
        {states.map((state) => (
          <li class={state === 'needs_review' && total(state) > 0 ? 'urgent' : undefined}>
            <a data-item="" href={`/callbacks?state=${state}`}>
              <strong>{total(state)}</strong> {CALLBACK_LABELS[state]}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
