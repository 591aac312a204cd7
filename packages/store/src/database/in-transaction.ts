import type { Sql, Transaction } from './connect.ts';
import { classifyStoreError, isLostRace, toStoreError } from './store-error.ts';

const TRIES = 5;

/**
 * Runs `work` in one transaction, again when it lost a deadlock, or a race for a lock or for a
 * row of which there may be one (bounded): the next try sees the winner's.
 * @throws AppError of `toStoreError`, or whatever AppError `work` threw
 */
export async function inTransaction<T>(sql: Sql, work: (tx: Transaction) => Promise<T>): Promise<T> {
  for (let left = TRIES; ; left -= 1) {
    try {
      return (await sql.begin((tx) => work(tx))) as T;
    } catch (error) {
      if (left > 1 && (classifyStoreError(error) === 'conflict' || isLostRace(error))) continue;
      throw toStoreError(error);
    }
  }
}
