import type { Sql, Transaction } from '../database/connect.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { lockGates, raiseGenerations } from './raise-generations.ts';

/** The gates that were shut, by service, and when their verifications are due. */
export interface ShutGates {
  readonly services: string[];
  readonly verifyDue: Date[];
}

/**
 * Shuts every gate under a new generation and has each verified anew: for a receiver that lost deliveries and cannot tell
 * which. A gate under a person's hand stays as it is.
 */
export function shutAllGates(sql: Sql): Promise<ShutGates> {
  return inTransaction(sql, shutAllGatesIn);
}

/** The same within a transaction that has no gate locked. */
export async function shutAllGatesIn(tx: Transaction): Promise<ShutGates> {
  const services = await tx<{ id: number; name: string }[]>`
    select id, name from service where retired_at is null order by id`;
  const ids = services.map(({ id }) => id);
  await lockGates(tx, ids);
  await raiseGenerations(tx, ids, 'receiver_silent');
  const rows = await tx<{ due: Date }[]>`
    select distinct verify_due_at as due from gate where service_id = any(${ids}::int[]) and verify_due_at is not null`;
  return { services: services.map(({ name }) => name), verifyDue: rows.map(({ due }) => due) };
}
