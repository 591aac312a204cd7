import type { Sql, Transaction } from '../database/connect.ts';
import { inTransaction } from '../database/in-transaction.ts';

/**
 * Makes the gates of a source's group due for a verification: something it reported was not understood, so what they stand on
 * may no longer be so. No gate is opened or shut.
 * @returns when verifications are due now
 * @throws AppError when the store cannot be reached
 */
export async function recheckSourceGates(sql: Sql, sourceId: number): Promise<Date[]> {
  return inTransaction(sql, (tx) => makeSourceGatesDue(tx, sourceId));
}

/** The same in a transaction. Leaves alone what is being verified, whose due time is the lease of a worker, and what a person holds. */
export async function makeSourceGatesDue(tx: Transaction, sourceId: number): Promise<Date[]> {
  const rows = await tx<{ due: Date }[]>`
    with due as materialized (
      select g.service_id from gate g
      join service s on s.id = g.service_id join source o on o.group_name = s.group_name
      where o.id = ${sourceId} and s.retired_at is null and g.verify_run is null and g.hand is distinct from 'held'
      order by g.service_id for no key update of g
    )
    update gate g set verify_due_at = least(g.verify_due_at, clock_timestamp())
    from due where g.service_id = due.service_id
    returning g.verify_due_at as due`;
  return rows.map(({ due }) => due);
}
