import type { SafeName, SignAudit } from '@tidegate/core';
import { type Audited, inAuditedTransaction } from '../audit/in-audited-transaction.ts';
import type { Sql, Transaction } from '../database/connect.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { shutAllGatesIn } from '../gate/shut-all-gates.ts';

/** What a receiver says of itself when it ends: its spool is empty, so nothing is left that only it knows. */
const ITSELF = 'self';

/**
 * Stops waiting for a receiver, which its next beat undoes. By anyone but itself (`by` is not `self`) every gate is shut under
 * a new generation: to a Disconnected that it took with it, verifying anew is the answer. Lock order: receiver, gate.
 * @returns false when it is not registered, or retired already
 */
export function retireReceiver(sql: Sql, id: string, by: string): Promise<boolean> {
  return inTransaction(sql, async (tx) => {
    const retired = await markRetired(tx, id, by);
    if (retired && by !== ITSELF) await shutAllGatesIn(tx);
    return retired;
  });
}

/** A person's order about one receiver. */
export interface RetireOrder {
  readonly id: string;
  readonly actor: SafeName;
  readonly reason: SafeName;
}

/** The same by a person's order, with an audit row. @returns in `outcome` whether there was such a receiver to retire */
export function retireReceiverByHand(sql: Sql, order: RetireOrder, sign: SignAudit): Promise<Audited<boolean>> {
  return inAuditedTransaction<boolean>(sql, sign, async (tx) => {
    const { id, actor, reason } = order;
    if (!(await markRetired(tx, id, actor))) return { outcome: false, entry: null };
    await shutAllGatesIn(tx);
    return { outcome: true, entry: { actor, action: 'receiver.retire', target: id, reason, facts: {} } };
  });
}

async function markRetired(tx: Transaction, id: string, by: string): Promise<boolean> {
  const retired = await tx`
    update receiver set retired_at = clock_timestamp(), retired_by = ${by} where id = ${id} and retired_at is null returning 1`;
  return retired.length > 0;
}

/**
 * Stops waiting for those that have been silent for longer than `retireAfterMs` (Postgres' clock), and shuts every gate under
 * a new generation if there was any. Any number of workers may call it.
 * @returns their ids
 */
export async function retireLongSilent(sql: Sql, retireAfterMs: number): Promise<string[]> {
  return inTransaction(sql, async (tx) => {
    const retired = await tx<{ id: string }[]>`
      update receiver set retired_at = clock_timestamp(), retired_by = 'worker'
      where retired_at is null and heartbeat_at < clock_timestamp() - make_interval(secs => ${retireAfterMs} / 1000.0)
      returning id`;
    if (retired.length > 0) await shutAllGatesIn(tx);
    return retired.map(({ id }) => id);
  });
}
