import type { LookupDecision } from '@tidegate/core';
import type { Sql } from '../database/connect.ts';
import { inTransaction } from '../database/in-transaction.ts';

export interface LookupEnd {
  readonly callbackId: string;
  readonly lookups: number;
  readonly decision: LookupDecision;
}

/**
 * Saves what a status lookup settled, in the callback and in its entry of the run. Fenced by the count of lookups: one that
 * comes back after its lease changes nothing.
 * @returns `fenced`, and when it is due next, null when it is not
 */
export async function finishLookup(
  sql: Sql,
  { callbackId, lookups, decision }: LookupEnd,
): Promise<{ fenced: boolean; dueAt: Date | null }> {
  const { state, outcome, reason, againMs, disproves } = decision;
  return inTransaction(sql, async (tx) => {
    const [row] = await tx<{ dueAt: Date | null; reconciliationId: string | null }[]>`
      update callback set state = ${state}, reason = ${reason},
        due_at = case ${state} when 'retrying' then greatest(retry_at, clock_timestamp())
          when 'ambiguous' then clock_timestamp() + make_interval(secs => ${againMs}::float8 / 1000.0) end,
        finished_at = case when ${state} in ('delivered', 'failed') then clock_timestamp() end
      where id = ${callbackId} and state = 'ambiguous' and lookups = ${lookups}
      returning due_at, reconciliation_id`;
    if (row === undefined) return { fenced: true, dueAt: null };
    if (disproves) {
      await tx`update attempt set disproved_at = clock_timestamp() where callback_id = ${callbackId} and disproved_at is null`;
    }
    const action = {
      delivered: 'close',
      failed: 'close',
      needs_review: 'review',
      ambiguous: 'look_up',
      retrying: disproves ? 'send' : 'resend',
    }[state];
    await tx`update reconciliation_item set outcome = ${outcome}, reason = ${reason}, action = ${action}, decided_at = clock_timestamp()
             where reconciliation_id = ${row.reconciliationId} and callback_id = ${callbackId}`;
    return { fenced: false, dueAt: row.dueAt };
  });
}
