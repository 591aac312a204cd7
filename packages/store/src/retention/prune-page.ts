import type { Sql, Transaction } from '../database/connect.ts';
import { inTransaction } from '../database/in-transaction.ts';

/** Rows that one statement of pruning may look at or remove. */
export const PAGE = 1000;

/**
 * Repeats a bounded removal, each time in a transaction of its own, until it finds less than a page. What another
 * transaction has locked is skipped, and found again an hour later.
 * @param remove removes up to `PAGE` rows and answers how many
 * @returns how many in all
 */
export async function prunePages(sql: Sql, remove: (tx: Transaction) => Promise<number>): Promise<number> {
  let total = 0;
  for (;;) {
    const removed = await inTransaction(sql, remove);
    total += removed;
    if (removed < PAGE) return total;
  }
}
