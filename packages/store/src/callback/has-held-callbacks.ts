import type { Transaction } from '../database/connect.ts';

/** Whether callbacks of a service wait for its gate: then it opens as `releasing`. */
export async function hasHeldCallbacks(tx: Transaction, serviceId: number): Promise<boolean> {
  const [row] = await tx<{ held: boolean }[]>`select exists (
    select 1 from callback where service_id = ${serviceId} and state in ('held', 'queued', 'retrying')) as held`;
  return row?.held ?? false;
}
