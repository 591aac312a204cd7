import type { Sql } from '../database/connect.ts';
import { PAGE, prunePages } from './prune-page.ts';

/**
 * Removes events recorded before `cutoff`, from the smallest number on: what is left has no gap, and the counter says from where,
 * so that a reader who was away for too long is told so. Nobody may have read for long, so they are numbered first.
 */
export async function pruneEvents(sql: Sql, cutoff: Date): Promise<number> {
  for (;;) {
    const [numbered] = await sql<{ count: number }[]>`select number_events(${PAGE}) as count`;
    if ((numbered?.count ?? 0) < PAGE) break;
  }
  const [bound] = await sql<{ number: number }[]>`
    select coalesce((select number from event where number is not null and recorded_at >= ${cutoff} order by number limit 1),
      last_number + 1) as number from event_counter`;
  const before = bound?.number ?? 0;
  return prunePages(sql, async (tx) => {
    const [page] = await tx<{ removed: number }[]>`
      with gone as (
        delete from event where number in (select number from event where number < ${before} order by number limit ${PAGE})
        returning number
      ), told as (
        update event_counter set pruned_through = g.number from (select max(number) as number from gone) g
        where g.number > pruned_through returning 1
      )
      select count(*)::int as removed from gone`;
    return page?.removed ?? 0;
  });
}
