import type { AttemptPhase } from '@tidegate/core';
import type { Sql } from '../database/connect.ts';
import { inTransaction } from '../database/in-transaction.ts';

export interface AttemptEnd {
  readonly callbackId: string;
  readonly attempt: number;
  readonly phase: AttemptPhase;
  readonly status: number | null;
  readonly reason: string;
  readonly latencyMs: number | null;
  readonly next:
    | { readonly state: 'delivered' | 'failed' | 'ambiguous' | 'needs_review'; readonly reason: string }
    | { readonly state: 'retrying'; readonly reason: string; readonly delayMs: number };
}

/**
 * Ends an attempt. Fenced: only the attempt that is still `sending` moves its callback, so a worker that lost its lease
 * and comes back late changes nothing.
 * @returns when the retry is due, null when there is none; `fenced` when the attempt was no longer this worker's
 */
export async function finishAttempt(sql: Sql, end: AttemptEnd): Promise<{ fenced: boolean; dueAt: Date | null }> {
  return inTransaction(sql, async (tx) => {
    const delayMs = end.next.state === 'retrying' ? end.next.delayMs : null;
    const [row] = await tx<{ dueAt: Date | null }[]>`
      update callback set state = ${end.next.state}, reason = ${end.next.reason},
        due_at = case when ${delayMs}::float8 is null then null else clock_timestamp() + make_interval(secs => ${delayMs}::float8 / 1000.0) end,
        finished_at = case when ${end.next.state} in ('delivered', 'failed') then clock_timestamp() end
      where id = ${end.callbackId} and state = 'sending' and attempts = ${end.attempt}
      returning due_at`;
    if (row === undefined) return { fenced: true, dueAt: null };
    await tx`update attempt set finished_at = clock_timestamp(), phase = ${end.phase}, status = ${end.status}, reason = ${end.reason},
               latency_ms = ${end.latencyMs}
             where callback_id = ${end.callbackId} and number = ${end.attempt}`;
    return { fenced: false, dueAt: row.dueAt };
  });
}
