import type { Sql } from '../database/connect.ts';
import { toStoreError } from '../database/store-error.ts';

/** How a channel fares. */
export interface ChannelRow {
  readonly name: string;
  readonly type: string;
  /** Attempts in a row that failed. */
  readonly failures: number;
  readonly pausedUntil: Date | null;
  readonly lastSentAt: Date | null;
  readonly lastFailedAt: Date | null;
  readonly lastReason: string | null;
  readonly lastStatus: number | null;
  /** Notifications that are still to be delivered, and the age of the oldest. */
  readonly waiting: number;
  readonly oldestWaitingMs: number | null;
  /** Given up within the last day. */
  readonly givenUp: number;
}

/** The channels that the config of the worker names, by name. */
export async function listChannels(sql: Sql): Promise<ChannelRow[]> {
  try {
    return await sql<ChannelRow[]>`
      select c.name, c.type, c.failures, case when c.paused_until > clock_timestamp() then c.paused_until end as paused_until,
        c.last_sent_at, c.last_failed_at, c.last_reason, c.last_status, w.waiting,
        extract(epoch from clock_timestamp() - w.oldest)::float8 * 1000 as oldest_waiting_ms,
        (select count(*)::int from notification n where n.channel = c.name and n.state = 'failed' and n.decided_at > clock_timestamp() - interval '1 day') as given_up
      from notify_channel c
      cross join lateral (select count(*)::int as waiting, min(n.decided_at) as oldest from notification n where n.channel = c.name and n.due_at is not null) w
      where c.removed_at is null order by c.name`;
  } catch (error) {
    throw toStoreError(error);
  }
}
