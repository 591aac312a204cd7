import type { Transaction } from '../database/connect.ts';

/** Lets the callbacks of a service go that waited for its gate, which this transaction has opened. */
export async function queueHeldCallbacks(tx: Transaction, serviceId: number): Promise<void> {
  await tx`update callback set state = 'queued', reason = 'gate_opened', due_at = clock_timestamp()
           where service_id = ${serviceId} and state = 'held'`;
}

/** Whether callbacks of a service wait for its gate: then it opens as `releasing`. */
export async function hasHeldCallbacks(tx: Transaction, serviceId: number): Promise<boolean> {
  const [row] = await tx<{ held: boolean }[]>`select exists (
    select 1 from callback where service_id = ${serviceId} and state in ('held', 'queued', 'retrying')) as held`;
  return row?.held ?? false;
}
