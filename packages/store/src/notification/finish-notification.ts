import type { NotificationKind, NotificationState, TimelineEvent } from '@tidegate/core';
import type { Sql, Transaction } from '../database/connect.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { addTimeline } from '../incident/add-timeline.ts';

/** How an attempt ended. `reached`: the receiver has, or may have, what was sent. */
export type NotificationEnd = {
  readonly status: number | null;
  readonly reason: string;
  /** Milliseconds that nothing is to be sent to the channel; null for none. */
  readonly pauseMs: number | null;
} & (
  | { readonly kind: 'sent'; readonly repeatEveryMs: number | null }
  | { readonly kind: 'retry'; readonly reached: boolean; readonly delayMs: number }
  | { readonly kind: 'failed'; readonly reached: boolean }
);

export interface EndingNotification {
  readonly id: string;
  readonly thread: string;
  readonly incidentId: string | null;
  readonly channel: string;
  readonly kind: NotificationKind;
  readonly attempts: number;
}

/** `fenced`: it was no longer this worker's, and nothing was changed. */
export type FinishedNotification = NotificationState | 'fenced';

/**
 * Writes down how an attempt ended. One that is to be tried again and was overtaken meanwhile is not. What came to an end is told
 * in the incident's timeline, and its notice looked at again: news may have waited for it. Lock order: notice, notification.
 */
export async function finishNotification(
  sql: Sql,
  claimed: EndingNotification,
  end: NotificationEnd,
): Promise<FinishedNotification> {
  return inTransaction(sql, async (tx) => {
    await tx`update notice set due_at = clock_timestamp() where thread = ${claimed.thread}`;
    const state = await moveRow(tx, claimed, end);
    if (state === null) return 'fenced';
    await noteChannel(tx, claimed.channel, end);
    if (claimed.incidentId !== null) await tellTimeline(tx, claimed.incidentId, claimed, state);
    return state;
  });
}

async function moveRow(
  tx: Transaction,
  { id, attempts }: EndingNotification,
  end: NotificationEnd,
): Promise<NotificationState | null> {
  const reached = end.kind === 'sent' || end.reached;
  const delayMs = end.kind === 'retry' ? end.delayMs : null;
  const repeatEveryMs = end.kind === 'sent' ? end.repeatEveryMs : null;
  const [row] = await tx<{ state: NotificationState }[]>`
    with now as materialized (select clock_timestamp() as at),
    next as materialized (
      select n.id, exists (select 1 from notification l where l.thread = n.thread and l.channel = n.channel and l.seq > n.seq) as overtaken
      from notification n where n.id = ${id} and n.state = 'sending' and n.attempts = ${attempts} for no key update
    ), decided as (
      select id, overtaken, case when ${end.kind} = 'sent' then 'sent' when ${end.kind} = 'failed' then 'failed'
        when overtaken then 'superseded' else 'pending' end as state from next
    )
    update notification n set state = d.state, reached = n.reached or ${reached}, status = ${end.status}, reason = ${end.reason}, lease_until = null,
      due_at = case when d.state = 'pending' then now.at + make_interval(secs => ${delayMs}::float8 / 1000.0) end,
      ended_at = case when d.state <> 'pending' then now.at end,
      repeat_at = case when d.state = 'sent' and not d.overtaken and n.kind in ('open', 'update', 'needs_review')
        then now.at + make_interval(secs => ${repeatEveryMs}::float8 / 1000.0) end
    from decided d, now where n.id = d.id
    returning n.state`;
  return row?.state ?? null;
}

/** Also of an attempt that was none of the ledger's, such as a repeat. */
export async function noteChannel(
  sql: Sql | Transaction,
  channel: string,
  { kind, status, reason, pauseMs }: Pick<NotificationEnd, 'kind' | 'status' | 'reason' | 'pauseMs'>,
): Promise<void> {
  if (kind === 'sent') {
    await sql`update notify_channel set failures = 0, last_sent_at = clock_timestamp() where name = ${channel}`;
    return;
  }
  await sql`
    update notify_channel set failures = failures + 1, last_failed_at = clock_timestamp(), last_reason = ${reason}, last_status = ${status},
      paused_until = greatest(paused_until, clock_timestamp() + make_interval(secs => ${pauseMs}::float8 / 1000.0))
    where name = ${channel}`;
}

async function tellTimeline(
  tx: Transaction,
  incidentId: string,
  { channel, kind: about }: EndingNotification,
  state: NotificationState,
): Promise<void> {
  if (state !== 'sent' && state !== 'failed') return;
  const [known] = await tx`select 1 from incident where id = ${incidentId}`;
  if (known === undefined) return;
  const event = state === 'sent' ? 'notification.sent' : 'notification.given_up';
  await addTimeline(tx, incidentId, { event, channel, about } satisfies TimelineEvent);
}
