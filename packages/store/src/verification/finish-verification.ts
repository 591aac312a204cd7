import {
  type GateReason,
  type GateSettlement,
  isKeptShut,
  keptShutStep,
  type OpeningVeto,
  type SettlingGate,
  settleGate,
} from '@tidegate/core';
import { hasHeldCallbacks } from '../callback/has-held-callbacks.ts';
import type { Sql, Transaction } from '../database/connect.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { noteVerification } from '../incident/note-verification.ts';
import { openFromVerification } from '../incident/open-from-verification.ts';
import { resolveVerified } from '../incident/resolve-verified.ts';
import { receiversHeard } from '../receiver/receivers-heard.ts';
import { reconcile } from '../reconciliation/reconcile.ts';
import type { ClaimedVerification } from './claim-verifications.ts';
import { saveVerification } from './save-verification.ts';
import type { VerificationResult, VerificationTiming } from './verification-result.ts';

export interface FinishedVerification {
  readonly settlement: GateSettlement;
  readonly nextDueAt: Date | null;
  readonly resolvedIncidents: string[];
  readonly openedIncident: string | null;
}

type Settled = Extract<GateSettlement, { kind: 'settled' }>;

/**
 * Ends a verification: its row, the gate's compare-and-set, the answer to the view and the incident's end commit together
 * (I6, I11). Lock order: subject, view, gate, pending, incident, callback.
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
    if (outcome === 'passed') {
      await lockSubjects(tx, run.serviceId);
      await lockViews(tx, run.serviceId);
    }
    const gate = await lockGate(tx, run.serviceId);
    const held = await hasHeldCallbacks(tx, run.serviceId);
    // Read after the gate is locked: the start of flapping locks it too, and so does retiring a receiver; both raise its
    // generation.
    const veto = await readVeto(tx, run.serviceId, timing.silentAfterMs);
    const ended = { id: run.id, generation: run.generation, outcome } as const;
    const settlement = settleGate(gate, ended, timing.requiredPasses, held, veto);
    await saveVerification(tx, result, settlement);
    const keptShut = isKeptShut(gate, ended, settlement);
    const tell = () => (keptShut ? openFromKeptShut(tx, result, timing, gate) : null);
    if (settlement.kind === 'overtaken')
      return { settlement, nextDueAt: null, resolvedIncidents: [], openedIncident: await tell() };

    const nextDueAt = await saveGate(tx, result, gate.attempt, settlement, timing);
    if (settlement.proves) await clearViews(tx, run);
    if (isNews(settlement, outcome, veto, gate.reason))
      await noteVerification(tx, result, settlement.passes, timing.requiredPasses);
    const resolvedIncidents = settlement.proves ? await resolveVerified(tx, run, toResolving(settlement, timing)) : [];
    const openedIncident =
      outcome !== 'passed' && settlement.state === 'held'
        ? await openFromVerification(tx, result, timing)
        : await tell();
    if (settlement.change === 'opened') {
      const { serviceId } = run;
      await reconcile(tx, { serviceId, generation: settlement.generation, trigger: 'release', shutSince: gate.since });
    }
    return { settlement, nextDueAt, resolvedIncidents, openedIncident };
  });
}

/** No run of such a gate says what is wrong with it, unless it failed: then that is told. */
function openFromKeptShut(
  tx: Transaction,
  result: VerificationResult,
  timing: VerificationTiming,
  { reason }: SettlingGate,
): Promise<string | null> {
  const failed = result.verdict !== 'healthy' && result.verdict !== 'inconclusive';
  const told = failed
    ? result
    : { ...result, verdict: 'inconclusive' as const, firstBroken: null, runbook: keptShutStep(reason) };
  return openFromVerification(tx, told, { ...timing, patienceMs: timing.keptShutPatienceMs });
}

/**
 * Whether a run belongs on the timeline. A re-check that finds an open gate healthy is no news; while it flaps, or waits only for
 * a silent receiver, a pass changes nothing, and an hour of them would bury what matters.
 */
function isNews(
  settlement: Settled,
  outcome: 'passed' | 'failed' | 'inconclusive',
  veto: OpeningVeto,
  before: GateReason,
): boolean {
  const waits = veto.flapping || (veto.receiverSilent && before === 'receiver_silent');
  return outcome !== 'passed' || settlement.change === 'opened' || (settlement.state === 'held' && !waits);
}

/** Before the views, as the one order has it: a pass also says how lately each subject was confirmed. */
async function lockSubjects(tx: Transaction, serviceId: number): Promise<void> {
  await tx`select 1 from subject where id in (select subject_id from dependency where service_id = ${serviceId})
           order by id for no key update`;
}

function toResolving(settlement: Settled, timing: VerificationTiming) {
  const { openAfterMs, reopenWithinMs, mass = null } = timing;
  const opened = settlement.change === 'opened';
  return { opened, mass, settleMs: reopenWithinMs, openAfterMs, maxWaitMs: openAfterMs };
}

async function lockViews(tx: Transaction, serviceId: number): Promise<void> {
  await tx`select 1 from connectivity where subject_id in (select subject_id from dependency where service_id = ${serviceId})
           order by subject_id for no key update`;
}

async function lockGate(tx: Transaction, serviceId: number): Promise<SettlingGate & { attempt: number; since: Date }> {
  const [gate] = await tx<(SettlingGate & { attempt: number; since: Date })[]>`
    select state, reason, generation, verify_run as run, passes, pass_generation, verify_attempt as attempt, since
    from gate where service_id = ${serviceId} for no key update`;
  if (gate === undefined) throw new Error('a claimed gate is gone');
  return gate;
}

async function readVeto(tx: Transaction, serviceId: number, silentAfterMs: number): Promise<OpeningVeto> {
  const [row] = await tx<OpeningVeto[]>`select not ${receiversHeard(tx, silentAfterMs)} as receiver_silent, exists (
    select 1 from incident i where i.kind = 'flapping' and i.state <> 'resolved'
      and (i.id in (select incident_id from incident_service where service_id = ${serviceId})
        or i.id in (select x.incident_id from incident_subject x join dependency d on d.subject_id = x.subject_id
                     where d.service_id = ${serviceId}))) as flapping`;
  if (row === undefined) throw new Error('a select without from answered no row');
  return row;
}

async function saveGate(
  tx: Transaction,
  { run }: VerificationResult,
  attempt: number,
  settlement: Settled,
  timing: VerificationTiming,
): Promise<Date | null> {
  const delayMs = { every: timing.everyMs, backoff: timing.backoffMs, recheck: timing.recheckEveryMs }[settlement.next];
  const failed = settlement.next === 'backoff';
  // A Connected that came while this run was under way has set the count back: look again at once.
  const woken = failed && run.attempt > 0 && attempt === 0;
  // A gate that is forced open has evidence too once enough runs have passed; the next Disconnected takes it away.
  const opening = settlement.change === 'opened' || (settlement.proves && settlement.reason === 'forced_open');
  const [row] = await tx<{ verifyDueAt: Date | null }[]>`
    update gate set
      state = ${settlement.state}, reason = ${settlement.reason}, generation = ${settlement.generation},
      since = case when ${settlement.change !== 'none'} then clock_timestamp() else since end,
      passes = ${settlement.passes}, pass_generation = ${settlement.generation},
      verify_run = null, verify_attempt = case when ${failed} and not ${woken} then verify_attempt + 1 else 0 end,
      verify_due_at = clock_timestamp() + make_interval(secs => ${woken ? 0 : delayMs} / 1000.0),
      opened_by = case when ${opening} then ${run.id} when ${settlement.change === 'shut'} then null else opened_by end,
      opened_by_started_at = case when ${opening} then ${run.startedAt}::timestamptz
        when ${settlement.change === 'shut'} then null else opened_by_started_at end
    where service_id = ${run.serviceId} and generation = ${run.generation} and verify_run = ${run.id}
    returning verify_due_at`;
  return row?.verifyDueAt ?? null;
}

/**
 * The Disconnected that was current when the gate opened is answered, and so is what a poll found before this run began:
 * until something newer, its subject is not down, and it is confirmed as of now.
 */
async function clearViews(tx: Transaction, { serviceId, startedAt }: ClaimedVerification): Promise<void> {
  await tx`update subject set confirmed_at = greatest(confirmed_at, clock_timestamp()),
             polled_status = case when polled_status = 'disconnected' and polled_at <= ${startedAt} then null else polled_status end
           where id in (select subject_id from dependency where service_id = ${serviceId})`;
  await tx`update connectivity set cleared_key = observation_key, suspect_disconnected = false, suspect_connected = false
           where subject_id in (select subject_id from dependency where service_id = ${serviceId})`;
}
