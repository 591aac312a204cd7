import type { Transaction } from '../database/connect.ts';

/**
 * Locks gates without waiting for any: whoever asks may hold later locks of the order already, and a lock that is not
 * waited for cannot deadlock.
 * @returns false when another transaction has one of them; come back later
 */
export async function tryLockGates(tx: Transaction, serviceIds: readonly number[]): Promise<boolean> {
  const ids = [...new Set(serviceIds)];
  if (ids.length === 0) return true;
  const locked = await tx`
    select 1 from gate where service_id = any(${ids}::int[]) order by service_id for no key update skip locked`;
  return locked.length === ids.length;
}
