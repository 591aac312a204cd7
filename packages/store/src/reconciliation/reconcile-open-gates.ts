import type { Sql } from '../database/connect.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { reconcile } from './reconcile.ts';

/**
 * Reconciles what waits behind gates that allow sending: attempts that ended unknown while the gate was open, at once, and
 * what an opening left behind. The generation is read under the gate's lock.
 * @returns how many callbacks were sorted
 */
export async function reconcileOpenGates(sql: Sql): Promise<number> {
  return inTransaction(sql, async (tx) => {
    const gates = await tx<{ serviceId: number; generation: number }[]>`
      select g.service_id, g.generation from gate g
      where g.state in ('open', 'releasing') and exists (
        select 1 from callback c where c.service_id = g.service_id
          and (c.state = 'held' or (c.state = 'ambiguous' and c.reconciliation_id is null)))
      order by g.service_id for share of g`;
    let items = 0;
    for (const gate of gates) items += await reconcile(tx, { ...gate, trigger: 'attempt', shutSince: null });
    return items;
  });
}
