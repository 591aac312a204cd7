import type { Sql, Transaction } from '../database/connect.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { toStoreError } from '../database/store-error.ts';
import { reconcile } from './reconcile.ts';

/**
 * Reconciles what waits behind gates that allow sending: attempts that ended unknown while the gate was open, at once, and
 * what an opening left behind. Each gate in a transaction of its own, the generation read under its lock: what shuts one
 * waits for the sorting of no other.
 * @returns how many callbacks were sorted
 */
export async function reconcileOpenGates(sql: Sql): Promise<number> {
  let items = 0;
  for (const serviceId of await listWaiting(sql)) {
    items += await inTransaction(sql, async (tx) => {
      const [gate] = await tx<{ generation: number }[]>`
        select g.generation from gate g
        where g.service_id = ${serviceId} and g.state in ('open', 'releasing') and ${waits(tx)} for no key update of g`;
      if (gate === undefined) return 0;
      return reconcile(tx, { serviceId, generation: gate.generation, trigger: 'attempt', shutSince: null });
    });
  }
  return items;
}

async function listWaiting(sql: Sql): Promise<number[]> {
  try {
    const rows = await sql<{ serviceId: number }[]>`
      select g.service_id from gate g where g.state in ('open', 'releasing') and ${waits(sql)} order by g.service_id`;
    return rows.map(({ serviceId }) => serviceId);
  } catch (error) {
    throw toStoreError(error);
  }
}

/** SQL for gate `g`: something waits behind it to be sorted. */
function waits(sql: Sql | Transaction) {
  return sql`exists (
    select 1 from callback c where c.service_id = g.service_id
      and (c.state = 'held' or (c.state = 'ambiguous' and c.reconciliation_id is null)))`;
}
