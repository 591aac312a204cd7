import type { Sql } from '../database/connect.ts';
import { toStoreError } from '../database/store-error.ts';
import { maybeReceived } from './evidence.ts';
import { stranded, waitsUntil } from './left-waiting.ts';

/**
 * Ends the wait of callbacks whose deadline has passed, held or not: `expired`, or before a person when an earlier attempt may
 * have been received. What waits for a service that is gone comes before a person, too.
 * @param limit of either kind
 * @returns how many waited no longer
 */
export async function expireCallbacks(sql: Sql, limit: number): Promise<number> {
  try {
    const rows = await sql`
      with late as materialized (
        select c.id from callback c where c.deadline_at <= clock_timestamp() and ${waitsUntil(sql)}
        order by c.deadline_at limit ${limit} for no key update skip locked
      ), lost as materialized (
        select c.id from callback c where c.id in (${stranded(sql)}) limit ${limit} for no key update skip locked
      ), ends as materialized (
        select c.id, l.id is not null as late, l.id is null or c.state = 'ambiguous' or ${maybeReceived(sql)} as review
        from callback c left join late l on l.id = c.id where c.id in (select id from late union select id from lost)
      )
      update callback c set due_at = null, reason = case when e.late then 'deadline_passed' else 'service_removed' end,
        state = case when e.review then 'needs_review' else 'expired' end,
        finished_at = case when e.review then null else clock_timestamp() end
      from ends e where c.id = e.id returning c.id`;
    return rows.length;
  } catch (error) {
    throw toStoreError(error);
  }
}
