import type { NotificationKind, NotificationState, TimelineEvent } from '@tidegate/core';
import type { Sql, Transaction } from '../database/connect.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { addTimeline } from '../incident/add-timeline.ts';

/** What was given up longer ago is not told to a channel that works again or came back. */
export const REMEMBERED = '7 days';

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
 * in the incident's timeline, and its notice looked at again: news may have waited for it. A channel that works again is told
 * what it missed. Lock order: notice, notification.
 */
export async function finishNotification(
  sql: Sql,
  claimed: EndingNotification,
  end: NotificationEnd,
): Promise<FinishedNotification> {
  const { state, recovered } = await inTransaction(sql, async (tx) => {
    await tx`update notice set due_at = clock_timestamp() where thread = ${claimed.thread}`;
    const moved = await moveRow(tx, claimed, end);
    if (moved === null) return { state: 'fenced', recovered: false } as const;
    const again = await saveChannel(tx, claimed.channel, end);
    if (claimed.incidentId !== null) await tellTimeline(tx, claimed.incidentId, claimed, moved);
    return { state: moved, recovered: again };
  });
  if (recovered) await hurryMissed(sql, claimed.channel);
  return state;
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
      select n.id, exists (select 1 from notification l where l.thread = n.thread and l.channel = n.channel and l.seq > n.seq) as overtaken,
        exists (select 1 from notification l where l.thread = n.thread and l.channel = n.channel and l.seq > n.seq and l.kind = 'resolve') as ended
      from notification n where n.id = ${id} and n.state = 'sending' and n.attempts = ${attempts} for no key update
    ), decided as (
      select id, ended, case when ${end.kind} = 'sent' then 'sent' when ${end.kind} = 'failed' then 'failed'
        when overtaken then 'superseded' else 'pending' end as state from next
    )
    update notification n set state = d.state, reached = n.reached or ${reached}, status = ${end.status}, reason = ${end.reason}, lease_until = null,
      due_at = case when d.state = 'pending' then now.at + make_interval(secs => ${delayMs}::float8 / 1000.0) end,
      ended_at = case when d.state <> 'pending' then now.at end,
      repeat_at = case when d.state = 'sent' and not d.ended and n.kind in ('open', 'update', 'needs_review')
        then now.at + make_interval(secs => ${repeatEveryMs}::float8 / 1000.0) end
    from decided d, now where n.id = d.id
    returning n.state`;
  if (row?.state === 'sent') await repeatNewest(tx, id);
  return row?.state ?? null;
}

/** What a newer one was delivered for is not said again; until then it is, or its receiver would take it for over. */
async function repeatNewest(tx: Transaction, id: string): Promise<void> {
  await tx`
    update notification n set repeat_at = null from notification x
    where x.id = ${id} and n.thread = x.thread and n.channel = x.channel and n.seq < x.seq and n.repeat_at is not null`;
}

/** The same of an attempt that was none of the ledger's, such as a repeat. */
export async function noteChannel(sql: Sql, channel: string, end: ChannelEnd): Promise<void> {
  if (await saveChannel(sql, channel, end)) await hurryMissed(sql, channel);
}

type ChannelEnd = Pick<NotificationEnd, 'kind' | 'status' | 'reason' | 'pauseMs'>;

/** @returns whether the channel works again after it did not */
async function saveChannel(
  sql: Sql | Transaction,
  channel: string,
  { kind, status, reason, pauseMs }: ChannelEnd,
): Promise<boolean> {
  if (kind === 'sent') {
    const rows = await sql<{ recovered: boolean }[]>`
      with before as materialized (select name, failures from notify_channel where name = ${channel} for no key update)
      update notify_channel c set failures = 0, last_sent_at = clock_timestamp() from before where c.name = before.name
      returning before.failures > 0 as recovered`;
    return rows[0]?.recovered ?? false;
  }
  await sql`
    update notify_channel set failures = failures + 1, last_failed_at = clock_timestamp(), last_reason = ${reason}, last_status = ${status},
      paused_until = greatest(paused_until, clock_timestamp() + make_interval(secs => ${pauseMs}::float8 / 1000.0))
    where name = ${channel}`;
  return false;
}

/** Nobody waits out a retry that was meant for a channel that was away, and what was given up there is decided about again. */
async function hurryMissed(sql: Sql, channel: string): Promise<void> {
  await sql`
    update notification set due_at = clock_timestamp() where id in (
      select id from notification where channel = ${channel} and state = 'pending' and due_at > clock_timestamp() for no key update skip locked)`;
  await sql`
    update notice set due_at = clock_timestamp() where thread in (
      select x.thread from notice x where x.thread in (
        select n.thread from notification n
        where n.channel = ${channel} and n.state = 'failed' and n.decided_at > clock_timestamp() - ${REMEMBERED}::interval
          and not exists (select 1 from notification l where l.thread = n.thread and l.channel = n.channel and l.seq > n.seq))
      order by x.thread for no key update)`;
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
