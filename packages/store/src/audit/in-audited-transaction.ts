import type { AuditEntry, AuditHead, SignAudit } from '@tidegate/core';
import type { Sql, Transaction } from '../database/connect.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { appendAudit } from './append-audit.ts';

/** What a transaction did, and the row that tells of it; no row when nothing was done. */
export interface AuditedWork<T> {
  readonly outcome: T;
  readonly entry: AuditEntry | null;
}

/** `head`: the newest row of the trail if this wrote one, to be exported to the log. */
export interface Audited<T> {
  readonly outcome: T;
  readonly head: AuditHead | null;
}

/**
 * Runs `work` in a transaction and tells the trail of it in the same one.
 * @throws AppError as `inTransaction` does
 */
export async function inAuditedTransaction<T>(
  sql: Sql,
  sign: SignAudit,
  work: (tx: Transaction) => Promise<AuditedWork<T>>,
): Promise<Audited<T>> {
  return inTransaction(sql, async (tx) => {
    const { outcome, entry } = await work(tx);
    return { outcome, head: entry === null ? null : await appendAudit(tx, entry, sign) };
  });
}

/** Tells the trail of something that has no transaction of its own, such as the use of a key. */
export async function recordAudit(sql: Sql, sign: SignAudit, entry: AuditEntry): Promise<AuditHead> {
  return inTransaction(sql, (tx) => appendAudit(tx, entry, sign));
}
