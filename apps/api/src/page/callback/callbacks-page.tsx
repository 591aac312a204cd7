import type { CallbackState } from '@tidegate/core';
import type { CallbackRow, Page } from '@tidegate/store';
import { Badge, type MarkKind } from '../layout/mark.tsx';
import { Pager } from '../layout/pager.tsx';
import { Time } from '../layout/time.tsx';
import { CALLBACK_LABELS } from '../words/labels.ts';

export const CALLBACK_MARKS: Record<CallbackState, MarkKind> = {
  queued: 'busy',
  held: 'held',
  sending: 'busy',
  delivered: 'pass',
  retrying: 'busy',
  ambiguous: 'unknown',
  needs_review: 'fail',
  failed: 'fail',
  cancelled: 'skipped',
  expired: 'skipped',
};

const TABS: readonly CallbackState[] = ['needs_review', 'held', 'ambiguous', 'retrying', 'delivered', 'failed'];

export interface CallbacksPageProps {
  readonly page: Page<CallbackRow>;
  readonly state: CallbackState | null;
  readonly service: string | null;
  readonly further: boolean;
}

/** What agents handed over: never more of a destination than its origin. */
export function CallbacksPage({ page, state, service, further }: CallbacksPageProps) {
  const of = service === null ? '' : `&service=${service}`;
  return (
    <>
      <h1>Callbacks{service === null ? '' : ` of ${service}`}</h1>
      <nav aria-label="State" class="tabs">
        {TABS.map((one) => (
          <a href={`/callbacks?state=${one}${of}`} aria-current={one === state ? 'page' : undefined}>
            {CALLBACK_LABELS[one]}
          </a>
        ))}
        <a
          href={service === null ? '/callbacks' : `/callbacks?service=${service}`}
          aria-current={state === null ? 'page' : undefined}
        >
          All
        </a>
      </nav>
      {state === 'needs_review' ? (
        <p class="hint">
          Nobody knows whether these were carried out. Ask their destination about the <code>webhook-id</code>, which is
          the id below. Until a person has decided, they are not sent again.
        </p>
      ) : null}
      <section id="list" data-live="" aria-label="Callbacks, newest first">
        {page.items.length === 0 ? (
          <p class="empty">
            {state === null ? 'No callback was handed over yet.' : `None is in the state “${CALLBACK_LABELS[state]}”.`}
          </p>
        ) : (
          <ul class="rows">
            {page.items.map((row) => (
              <CallbackLine row={row} />
            ))}
          </ul>
        )}
        <Pager
          path="/callbacks"
          query={{ state: state ?? undefined, service: service ?? undefined }}
          nextCursor={page.nextCursor}
          further={further}
        />
      </section>
    </>
  );
}

function CallbackLine({ row }: { row: CallbackRow }) {
  return (
    <li>
      <a data-item="" href={`/callbacks/${row.id}`}>
        {row.service}
      </a>
      <Badge kind={CALLBACK_MARKS[row.state]}>{CALLBACK_LABELS[row.state]}</Badge>
      <span class="meta">
        <code>{row.id}</code>, {row.method} to {row.origin}, handed over <Time at={row.createdAt} precise />, tried{' '}
        {row.attempts}×
      </span>
    </li>
  );
}
