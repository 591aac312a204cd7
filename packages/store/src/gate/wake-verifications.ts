import type { Transaction } from '../database/connect.ts';

/**
 * Makes the gates that wait for a verification due now and resets their backoff: a sign of life, as a Connected is. The caller has
 * locked them.
 */
export async function wakeVerifications(tx: Transaction, serviceIds: readonly number[]): Promise<void> {
  if (serviceIds.length === 0) return;
  await tx`
    update gate set
      verify_due_at = case when state <> 'verifying' and hand is distinct from 'held' then clock_timestamp() else verify_due_at end,
      verify_attempt = 0
    where service_id = any(${[...serviceIds]}::int[]) and (state in ('held', 'verifying') or hand = 'open')`;
}
