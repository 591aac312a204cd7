import { type GateSettlement, type SettlingGate, settleGate } from '@tidegate/core';
import type { Sql, Transaction } from '../database/connect.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { noteVerification } from '../incident/note-verification.ts';
import { openFromVerification } from '../incident/open-from-verification.ts';
import { resolveVerified } from '../incident/resolve-verified.ts';
import { saveVerification } from './save-verification.ts';
import type { VerificationResult, VerificationTiming } from './verification-result.ts';

export interface FinishedVerification {
  readonly settlement: GateSettlement;
  readonly nextDueAt: Date | null;
  readonly resolvedIncidents: string[];
  readonly openedIncident: string | null;
}

/**
 * Ends a verification: its row, the gate's compare-and-set, the answer to the view and the incident's end commit together
 * (I6, I11). Lock order: view, gate, incident, callback.
 */
export async function finishVerification(
  sql: Sql,
  result: VerificationResult,
  timing: VerificationTiming,
): Promise<FinishedVerification> {
  return inTransaction(sql, async (tx) => {
    const { run } = result;
    const outcome =
      result.verdict === 'healthy' ? 'passed' : result.verdict === 'inconclusive' ? 'inconclusive' : 'failed';
    if (outcome === 'passed') await lockViews(tx, run.serviceId);
    const gate = await lockGate(tx, run.serviceId);
    const held = await hasHeldCallbacks(tx, run.serviceId);
    const settlement = settleGate(
      gate,
      { id: run.id, generation: run.generation, outcome },
      timing.requiredPasses,
      held,
    );
    await saveVerification(tx, result, settlement);
    if (settlement.kind === 'overtaken')
      return { settlement, nextDueAt: null, resolvedIncidents: [], openedIncident: null };

    const nextDueAt = await saveGate(tx, result, gate.attempt, settlement, timing);
    const standsOpen = outcome === 'passed' && (settlement.state === 'open' || settlement.state === 'releasing');
    if (standsOpen) await clearViews(tx, run.serviceId);
    // A re-check that finds an open gate healthy is no news.
    if (outcome !== 'passed' || settlement.change === 'opened' || settlement.state === 'held') {
      await noteVerification(tx, result, settlement.passes, timing.requiredPasses);
    }
    const resolvedIncidents = standsOpen ? await resolveVerified(tx, run, settlement.change === 'opened') : [];
    const openedIncident =
      outcome !== 'passed' && settlement.state === 'held' ? await openFromVerification(tx, result, timing) : null;
    if (settlement.change === 'opened') await queueHeldCallbacks(tx, run.serviceId);
    return { settlement, nextDueAt, resolvedIncidents, openedIncident };
  });
}

async function lockViews(tx: Transaction, serviceId: number): Promise<void> {
  await tx`select 1 from connectivity where subject_id in (select subject_id from dependency where service_id = ${serviceId})
           order by subject_id for no key update`;
}

async function lockGate(tx: Transaction, serviceId: number): Promise<SettlingGate & { attempt: number }> {
  const [gate] = await tx<(SettlingGate & { attempt: number })[]>`
    select state, reason, generation, verify_run as run, passes, pass_generation, verify_attempt as attempt from gate where service_id = ${serviceId} for no key update`;
  if (gate === undefined) throw new Error('a claimed gate is gone');
  return gate;
}

async function hasHeldCallbacks(tx: Transaction, serviceId: number): Promise<boolean> {
  const [row] = await tx<{ held: boolean }[]>`select exists (
    select 1 from callback where service_id = ${serviceId} and state in ('held', 'queued', 'retrying')) as held`;
  return row?.held ?? false;
}

async function saveGate(
  tx: Transaction,
  { run }: VerificationResult,
  attempt: number,
  settlement: Extract<GateSettlement, { kind: 'settled' }>,
  timing: VerificationTiming,
): Promise<Date | null> {
  const delayMs = { every: timing.everyMs, backoff: timing.backoffMs, recheck: timing.recheckEveryMs }[settlement.next];
  const failed = settlement.next === 'backoff';
  // A Connected that came while this run was under way has set the count back: look again at once.
  const woken = failed && run.attempt > 0 && attempt === 0;
  const [row] = await tx<{ verifyDueAt: Date | null }[]>`
    update gate set
      state = ${settlement.state}, reason = ${settlement.reason}, generation = ${settlement.generation},
      since = case when ${settlement.change !== 'none'} then clock_timestamp() else since end,
      passes = ${settlement.passes}, pass_generation = ${settlement.generation},
      verify_run = null, verify_attempt = case when ${failed} and not ${woken} then verify_attempt + 1 else 0 end,
      verify_due_at = clock_timestamp() + make_interval(secs => ${woken ? 0 : delayMs} / 1000.0),
      opened_by = case when ${settlement.change === 'opened'} then ${run.id} when ${settlement.change === 'shut'} then null else opened_by end,
      opened_by_started_at = case when ${settlement.change === 'opened'} then ${run.startedAt}::timestamptz
        when ${settlement.change === 'shut'} then null else opened_by_started_at end
    where service_id = ${run.serviceId} and generation = ${run.generation} and verify_run = ${run.id}
    returning verify_due_at`;
  return row?.verifyDueAt ?? null;
}

/** The Disconnected that was current when the gate opened is answered: until a newer one, its subject is not down. */
async function clearViews(tx: Transaction, serviceId: number): Promise<void> {
  await tx`update connectivity set cleared_key = observation_key, suspect_disconnected = false, suspect_connected = false
           where subject_id in (select subject_id from dependency where service_id = ${serviceId})`;
}

async function queueHeldCallbacks(tx: Transaction, serviceId: number): Promise<void> {
  await tx`update callback set state = 'queued', reason = 'gate_opened', due_at = clock_timestamp()
           where service_id = ${serviceId} and state = 'held'`;
}
