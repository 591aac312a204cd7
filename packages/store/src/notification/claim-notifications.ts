import type { NotificationKind, NotificationMessage } from '@tidegate/core';
import type { Sql } from '../database/connect.ts';
import { toStoreError } from '../database/store-error.ts';

export interface ClaimedNotification {
  readonly id: string;
  readonly thread: string;
  readonly incidentId: string | null;
  readonly channel: string;
  readonly kind: NotificationKind;
  readonly message: NotificationMessage;
  /** This one included. */
  readonly attempts: number;
  readonly firstAttemptAt: Date;
  /** Since the first attempt began. */
  readonly elapsedMs: number;
}

/**
 * Claims what is due, per channel up to its free places, and counts the attempt before it is made (I9). A channel that
 * is paused gets nothing but a test, which a person waits for. Of one thread a channel is told in order, one at a time. A lease that ran out belonged to a process that died: it is sent again, under the same id, since
 * at least once is what was promised.
 */
export async function claimNotifications(
  sql: Sql,
  free: ReadonlyMap<string, number>,
  leaseMs: number,
): Promise<ClaimedNotification[]> {
  const places = [...free].filter(([, count]) => count > 0);
  if (places.length === 0) return [];
  try {
    return await sql<ClaimedNotification[]>`
      with now as materialized (select clock_timestamp() as at),
      due as (
        select picked.id from unnest(${places.map(([name]) => name)}::text[], ${places.map(([, count]) => count)}::int[]) as f(channel, places)
        cross join now
        cross join lateral (
          select n.id from notification n
          where n.channel = f.channel and n.due_at <= now.at
            and (n.kind = 'test' or not exists (select 1 from notify_channel c where c.name = f.channel and c.paused_until > now.at))
            and not exists (select 1 from notification e where e.thread = n.thread and e.channel = n.channel and e.seq < n.seq and e.ended_at is null)
          order by n.due_at, n.seq limit f.places for update of n skip locked
        ) picked
      )
      update notification n set state = 'sending', reached = n.reached or n.state = 'sending', attempts = n.attempts + 1,
        first_attempt_at = coalesce(n.first_attempt_at, now.at), lease_until = now.at + make_interval(secs => ${leaseMs} / 1000.0),
        due_at = now.at + make_interval(secs => ${leaseMs} / 1000.0)
      from due, now where n.id = due.id
      returning n.id, n.thread, n.incident_id, n.channel, n.kind, n.message, n.attempts, n.first_attempt_at,
        extract(epoch from now.at - n.first_attempt_at)::float8 * 1000 as elapsed_ms`;
  } catch (error) {
    throw toStoreError(error);
  }
}

export interface RepeatedNotification {
  readonly id: string;
  readonly channel: string;
  readonly message: NotificationMessage;
}

/** Claims what a channel forgets unless it is said again, and sets when that is next. A repeat is no attempt: it has no end of its own. */
export async function claimRepeats(
  sql: Sql,
  { channel, everyMs, limit }: { readonly channel: string; readonly everyMs: number; readonly limit: number },
): Promise<RepeatedNotification[]> {
  try {
    return await sql<RepeatedNotification[]>`
      with due as (
        select id from notification where channel = ${channel} and repeat_at <= clock_timestamp()
        order by repeat_at limit ${limit} for update skip locked
      )
      update notification n set repeat_at = clock_timestamp() + make_interval(secs => ${everyMs} / 1000.0) from due where n.id = due.id
      returning n.id, n.channel, n.message`;
  } catch (error) {
    throw toStoreError(error);
  }
}

/** The end that was, or is being, told while a repeat was on its way, and may have overtaken it; null while it goes on. */
export async function readEndSince(sql: Sql, repeated: RepeatedNotification): Promise<RepeatedNotification | null> {
  try {
    const [end] = await sql<RepeatedNotification[]>`
      select e.id, e.channel, e.message from notification n
      join lateral (
        select * from notification l where l.thread = n.thread and l.channel = n.channel and l.seq > n.seq order by l.seq desc limit 1
      ) e on e.kind = 'resolve' and e.state in ('sending', 'sent')
      where n.id = ${repeated.id}`;
    return end ?? null;
  } catch (error) {
    throw toStoreError(error);
  }
}
