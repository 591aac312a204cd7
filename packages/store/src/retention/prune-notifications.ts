import type { Sql } from '../database/connect.ts';
import { PAGE, prunePages } from './prune-page.ts';

/** Removes what was decided before `cutoff` and told of no incident: reviews and tests. The rest goes with its incident. */
export async function pruneNotifications(sql: Sql, cutoff: Date): Promise<number> {
  return prunePages(sql, async (tx) => {
    const { count } = await tx`
      delete from notification where id in (
        select id from notification where incident_id is null and decided_at < ${cutoff} and ended_at is not null
        order by decided_at limit ${PAGE} for update skip locked)`;
    return count;
  });
}
