import type { Sql } from '../database/connect.ts';
import { dropMonths } from './months.ts';
import { PAGE, prunePages } from './prune-page.ts';

export interface PrunedDeliveries {
  readonly deliveries: number;
  /** Partitions dropped whole. */
  readonly months: number;
}

/**
 * Drops the months in which every delivery was received before `cutoff`, without a look at their rows but for counting them.
 * Of an observation that stays, `observation_key` remembers the first delivery. What no month had a place for goes by pages.
 */
export async function pruneDeliveries(sql: Sql, cutoff: Date): Promise<PrunedDeliveries> {
  const dropped = await dropMonths(sql, 'delivery', cutoff, async (tx, partition) => {
    const [row] = await tx<{ rows: number; late: number }[]>`
      select count(*)::int as rows, (count(*) filter (where received_at >= ${cutoff}))::int as late from ${tx(partition)}`;
    return row?.late === 0 ? row.rows : null;
  });
  const paged = await prunePages(sql, async (tx) => {
    const { count } = await tx`
      delete from delivery_default where id in (
        select id from delivery_default where received_at < ${cutoff} limit ${PAGE} for update skip locked)`;
    return count;
  });
  return { deliveries: dropped.rows + paged, months: dropped.months };
}
