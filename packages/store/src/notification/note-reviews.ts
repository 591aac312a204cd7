import type { Sql, Transaction } from '../database/connect.ts';
import { inTransaction } from '../database/in-transaction.ts';

/**
 * Compares what waits for a person's decision with what was noted of it, per service, and arms the notices that differ: derived,
 * so that it does not matter who moved a callback, or when this was asked last.
 */
export async function noteReviews(sql: Sql): Promise<void> {
  await inTransaction(sql, async (tx) => {
    const changed = await tx<{ serviceId: number }[]>`select service_id from (${differing(tx)}) d order by service_id`;
    if (changed.length === 0) return;
    await tx`
      insert into notice (thread, service_id, episode, waiting, waiting_mark, started_at, due_at)
      select 'rev_' || d.service_id, d.service_id, 1, d.waiting, d.mark, clock_timestamp(), clock_timestamp() from (${differing(tx)}) d
      order by d.service_id
      on conflict (thread) do update set waiting = excluded.waiting, waiting_mark = excluded.waiting_mark, due_at = clock_timestamp(),
        episode = notice.episode + case when notice.waiting = 0 then 1 else 0 end,
        started_at = case when notice.waiting = 0 then clock_timestamp() else notice.started_at end,
        ended_at = case when excluded.waiting = 0 then clock_timestamp() end`;
  });
}

/** Services whose waiting callbacks are not those that were noted. */
export function differing(sql: Sql | Transaction) {
  return sql`
    select coalesce(w.service_id, n.service_id) as service_id, coalesce(w.waiting, 0) as waiting, coalesce(w.mark, 0) as mark
    from (select service_id, count(*)::int as waiting, sum(hashtext(id)::bigint)::bigint as mark
            from callback where state = 'needs_review' group by service_id) w
    full join (select service_id, waiting, waiting_mark from notice where service_id is not null) n using (service_id)
    where (coalesce(w.waiting, 0), coalesce(w.mark, 0)) is distinct from (coalesce(n.waiting, 0), coalesce(n.waiting_mark, 0))`;
}
