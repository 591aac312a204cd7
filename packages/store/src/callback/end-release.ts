import type { Sql } from '../database/connect.ts';
import { inTransaction } from '../database/in-transaction.ts';

/**
 * Moves gates from `releasing` to `open` once nothing held before is left to send.
 * @returns names of the services whose release ended
 */
export async function endRelease(sql: Sql): Promise<string[]> {
  return inTransaction(sql, async (tx) => {
    const rows = await tx<{ name: string }[]>`
      with ending as (
        select g.service_id from gate g
        where g.state = 'releasing' and not exists (
          select 1 from callback c where c.service_id = g.service_id and c.state in ('held', 'queued', 'sending', 'retrying'))
        order by g.service_id for no key update
      )
      update gate g set state = 'open' from ending e join service s on s.id = e.service_id
      where g.service_id = e.service_id and g.state = 'releasing' returning s.name`;
    return rows.map((row) => row.name);
  });
}
