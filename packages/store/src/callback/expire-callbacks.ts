import type { Sql } from '../database/connect.ts';
import { toStoreError } from '../database/store-error.ts';
import { maybeReceived } from './evidence.ts';

/**
 * Ends callbacks whose deadline has passed before they were sent, held or not: `expired`, or before a person when an earlier
 * attempt may have been received.
 * @returns how many ended
 */
export async function expireCallbacks(sql: Sql, limit: number): Promise<number> {
  try {
    const rows = await sql`
      with over as materialized (
        select id from callback where deadline_at is not null and deadline_at <= clock_timestamp() and state in ('queued', 'held', 'retrying')
        order by deadline_at limit ${limit} for no key update skip locked
      )
      update callback c set reason = 'deadline_passed', due_at = null,
        state = case when ${maybeReceived(sql)} then 'needs_review' else 'expired' end,
        finished_at = case when ${maybeReceived(sql)} then null else clock_timestamp() end
      from over where c.id = over.id returning c.id`;
    return rows.length;
  } catch (error) {
    throw toStoreError(error);
  }
}
