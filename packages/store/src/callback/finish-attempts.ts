import {
  type AfterAttempt,
  type AttemptPhase,
  type Circuit,
  CLOSED_CIRCUIT,
  type DestinationHealth,
  mayHaveHappened,
  type Ramp,
  settleCircuit,
  settleRamp,
  weighDestination,
} from '@tidegate/core';
import type { Sql, Transaction } from '../database/connect.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { toPlainArray, toTextArray } from '../observation/to-array-literal.ts';
import { lockPace, type Pair, pairKey, type RampPolicies, savePace } from './pace.ts';

export interface AttemptEnd extends Pair {
  readonly callbackId: string;
  readonly attempt: number;
  /** The gate's generation it began under. */
  readonly generation: number;
  /** What it was claimed under. */
  readonly leaseToken: string | null;
  /** Ended by whoever found its lease over; else by the worker that holds the lease. */
  readonly lapsed: boolean;
  readonly policyName: string;
  readonly phase: AttemptPhase;
  readonly status: number | null;
  readonly reason: string;
  readonly latencyMs: number | null;
  readonly next: AfterAttempt;
}

export interface FinishedAttempt {
  /** The attempt was no longer this worker's; nothing was changed. */
  readonly fenced: boolean;
  /** When the retry is due; null when there is none. */
  readonly dueAt: Date | null;
}

/**
 * Ends attempts, and lets ramp and circuit of their destinations know, in one transaction. Fenced by `holdsLease`: only the
 * worker that claimed an attempt ends it while its lease runs, and only as lapsed is it ended after that, so a worker that
 * lost its lease and comes back late changes nothing. Lock order: ramp, circuit, attempt, callback.
 * @returns one for each end, in their order
 */
export async function finishAttempts(
  sql: Sql,
  ends: readonly AttemptEnd[],
  policyOf: RampPolicies,
): Promise<FinishedAttempt[]> {
  if (ends.length === 0) return [];
  return inTransaction(sql, async (tx) => {
    const pace = await lockPace(tx, ends);
    const moved = await moveCallbacks(tx, ends);
    const ended = ends.filter((end) => moved.has(endKey(end)));
    if (ended.length > 0) {
      await endRows(tx, ended);
      await settlePace(tx, ended, pace, policyOf);
    }
    return ends.map((end) => ({
      fenced: !moved.has(endKey(end)),
      dueAt: end.next.state === 'retrying' ? (moved.get(endKey(end)) ?? null) : null,
    }));
  });
}

/** A worker may end what it has just found to be over: of the two ends at most one counts. */
function endKey({ callbackId, lapsed }: Pick<AttemptEnd, 'callbackId' | 'lapsed'>): string {
  return `${callbackId} ${lapsed}`;
}

/** When each callback whose attempt could be ended is due next. */
async function moveCallbacks(tx: Transaction, ends: readonly AttemptEnd[]): Promise<Map<string, Date | null>> {
  const delays = ends.map(({ next }) => ('delayMs' in next ? next.delayMs : null));
  const unknown = ends.map(({ phase, status }) => mayHaveHappened({ phase, status: status ?? undefined }));
  const rows = await tx<{ id: string; lapsed: boolean; dueAt: Date | null }[]>`
    with e as materialized (
      select * from unnest(${toTextArray(ends.map((end) => end.callbackId))}::text[], ${toPlainArray(ends.map((end) => end.attempt))}::int[],
        ${toPlainArray(ends.map((end) => end.generation))}::int8[], ${toPlainArray(ends.map((end) => end.leaseToken))}::uuid[],
        ${toPlainArray(ends.map((end) => end.lapsed))}::bool[], ${toTextArray(ends.map((end) => end.next.state))}::text[],
        ${toTextArray(ends.map((end) => end.next.reason))}::text[], ${toPlainArray(delays)}::float8[], ${toPlainArray(unknown)}::bool[])
        as e (id, attempt, generation, token, lapsed, state, reason, delay, unknown)
    ), mine as materialized (
      -- Locked before the lease is judged: a renewal under way is waited for.
      select a.callback_id, a.number, e.lapsed from e join attempt a on a.callback_id = e.id and a.number = e.attempt
      where a.finished_at is null and a.generation = e.generation and a.lease_token is not distinct from e.token
        and (a.lease_until <= clock_timestamp()) = e.lapsed
      order by a.callback_id, a.number for no key update of a
    )
    update callback c set state = e.state, reason = e.reason,
      due_at = case when e.state = 'retrying' then clock_timestamp() + make_interval(secs => e.delay / 1000) end,
      retry_at = case when e.state = 'ambiguous' then clock_timestamp() + make_interval(secs => e.delay / 1000) end,
      -- Reconciled at once when the gate is open, else when it opens.
      reconciliation_id = case when e.state = 'ambiguous' then null else c.reconciliation_id end,
      -- Also while it is tried again: what a status lookup may say later is about the last request that left.
      unknown_since = case when e.unknown then clock_timestamp() else c.unknown_since end,
      lookups = case when e.unknown then 0 else c.lookups end,
      finished_at = case when e.state in ('delivered', 'failed') then clock_timestamp() end
    from e join mine on mine.callback_id = e.id and mine.number = e.attempt and mine.lapsed = e.lapsed
    where c.id = e.id and c.state = 'sending' and c.attempts = e.attempt returning c.id, e.lapsed, c.due_at`;
  return new Map(rows.map(({ id, lapsed, dueAt }) => [endKey({ callbackId: id, lapsed }), dueAt]));
}

async function endRows(tx: Transaction, ends: readonly AttemptEnd[]): Promise<void> {
  await tx`
    update attempt a set finished_at = clock_timestamp(), phase = e.phase, status = e.status, reason = e.reason, latency_ms = e.latency
    from unnest(${toTextArray(ends.map((end) => end.callbackId))}::text[], ${toPlainArray(ends.map((end) => end.attempt))}::int[],
      ${toTextArray(ends.map((end) => end.phase))}::text[], ${toPlainArray(ends.map((end) => end.status))}::int[],
      ${toTextArray(ends.map((end) => end.reason))}::text[], ${toPlainArray(ends.map((end) => end.latencyMs))}::int[])
      as e (id, number, phase, status, reason, latency)
    where a.callback_id = e.id and a.number = e.number`;
}

async function settlePace(
  tx: Transaction,
  ends: readonly AttemptEnd[],
  pace: Awaited<ReturnType<typeof lockPace>>,
  policyOf: RampPolicies,
): Promise<void> {
  const ramps = new Map<string, Pair & Ramp>();
  const circuits = new Map<string, Circuit>();
  for (const end of ends) {
    const health: DestinationHealth = weighDestination(end);
    const ramp = ramps.get(pairKey(end)) ?? pace.ramps.get(pairKey(end));
    // An attempt from before the gate was shut says nothing about how far the present ramp has come.
    if (ramp !== undefined && ramp.generation === end.generation && health !== 'none') {
      const { serviceId, origin } = end;
      ramps.set(pairKey(end), { ...settleRamp(ramp, health, policyOf(end.policyName)), serviceId, origin });
    }
    const before = circuits.get(end.origin) ?? pace.circuits.get(end.origin) ?? CLOSED_CIRCUIT;
    const after = settleCircuit(before, health, pace.nowMs);
    if (after !== before && !(after === CLOSED_CIRCUIT && isFresh(before))) circuits.set(end.origin, after);
  }
  await savePace(tx, [...ramps.values()], circuits);
}

/** A closed circuit that has no failure to forget: its row, if any, need not be touched. */
function isFresh(circuit: Circuit): boolean {
  return circuit.state === 'closed' && circuit.failures === 0;
}
