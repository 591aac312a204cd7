import type { Sql, Transaction } from '../database/connect.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { headsOfKeys } from './heads-of-keys.ts';

/**
 * Moves gates from `releasing` to `open` once nothing is left to send that this release let go: nothing of it is under way,
 * and nothing of it is due but what waits behind its ordering key. What was handed over since, and a retry that is not due,
 * keep no release up.
 * @returns names of the services whose release ended
 */
export async function endRelease(sql: Sql): Promise<string[]> {
  return inTransaction(sql, async (tx) => {
    const rows = await tx<{ name: string }[]>`
      with ending as (
        select g.service_id from gate g
        where g.state = 'releasing' and not exists (select 1 from callback c where c.service_id = g.service_id and c.state = 'held')
          and not exists (
            select 1 from callback c where c.service_id = g.service_id and ${released(tx)}
              and (c.state = 'sending' or (c.ordering_hash is null and ${due(tx)})))
          and not exists (
            select 1 from ${headsOfKeys(tx, { service: tx`g.service_id`, start: Buffer.alloc(0), most: EVERY_KEY })} c
            where ${released(tx)} and ${due(tx)})
        order by g.service_id for no key update
      )
      update gate g set state = 'open' from ending e join service s on s.id = e.service_id
      where g.service_id = e.service_id and g.state = 'releasing' returning s.name`;
    return rows.map((row) => row.name);
  });
}

const EVERY_KEY = 2 ** 31 - 1;

/** SQL for callback `c` of gate `g`: a reconciliation of this release let it go. */
function released(tx: Transaction) {
  return tx`c.generation = g.generation and c.reconciliation_id is not null`;
}

function due(tx: Transaction) {
  return tx`c.state in ('queued', 'retrying') and c.due_at <= clock_timestamp()`;
}
