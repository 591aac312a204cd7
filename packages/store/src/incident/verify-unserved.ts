import {
  decideVerdict,
  isMass,
  judgeMembers,
  type LayerResult,
  type MassPolicy,
  type VerdictDecision,
} from '@tidegate/core';
import type { Sql, Transaction } from '../database/connect.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { toStoreError } from '../database/store-error.ts';
import { askForPoll } from '../poll/ask-for-poll.ts';
import { addTimeline } from './add-timeline.ts';
import { listUnserved, type UnservedIncident } from './list-unserved.ts';
import { regroup } from './regroup.ts';
import { summarizeEnded } from './summarize-incident.ts';
import { isWebhookMissing } from './webhook-missing.ts';

export interface UnservedSettings {
  /** When the poll was begun whose findings are the evidence. */
  readonly askedAt: Date;
  /** Passes in a row that end an incident, and the pace of the polls that give them. */
  readonly requiredPasses: number;
  readonly everyMs: number;
  readonly mass: MassPolicy | null;
  readonly openAfterMs: number;
  readonly maxWaitMs: number;
  readonly newVerificationId: () => string;
}

export interface VerifiedIncident {
  readonly incident: string;
  readonly verification: string;
  readonly verdict: VerdictDecision['verdict'];
  readonly resolved: boolean;
}

/**
 * Verifies the open incidents that no service has part in by what a poll of API v2 listed: their device and tunnel layers,
 * written down as any verification is. After enough passes in a row an incident ends with the last as its evidence (I11).
 */
export async function verifyUnserved(sql: Sql, settings: UnservedSettings): Promise<VerifiedIncident[]> {
  const verified: VerifiedIncident[] = [];
  try {
    for (const incident of await listUnserved(sql, settings.askedAt)) {
      const layers = judgeMembers(incident.listed);
      const decision = decideVerdict(layers);
      if (!isWorthTelling(incident, decision, settings.mass)) continue;
      const verification = settings.newVerificationId();
      const resolved = await save(sql, incident, { verification, layers, decision }, settings);
      if (resolved !== null)
        verified.push({ incident: incident.id, verification, verdict: decision.verdict, resolved });
    }
    return verified;
  } catch (error) {
    throw toStoreError(error);
  }
}

/** Every pass, and another verdict than the last: an hour of the same outage is one line. */
function isWorthTelling(incident: UnservedIncident, { verdict }: VerdictDecision, mass: MassPolicy | null): boolean {
  if (incident.kind !== 'mass') return verdict === 'healthy' || verdict !== incident.lastVerdict;
  const goesOn = mass !== null && isMass(incident.lostDevices, incident.knownDevices, mass);
  return verdict === 'healthy' && !goesOn;
}

interface Run {
  readonly verification: string;
  readonly layers: readonly LayerResult[];
  readonly decision: VerdictDecision;
}

/** @returns whether the incident ended; null when it was no longer open, and nothing was saved */
async function save(
  sql: Sql,
  incident: UnservedIncident,
  run: Run,
  settings: UnservedSettings,
): Promise<boolean | null> {
  const { decision } = run;
  const passes = decision.passed ? incident.passes + 1 : 0;
  const ends = decision.passed && passes >= Math.max(1, settings.requiredPasses);
  return inTransaction(sql, async (tx) => {
    if (ends) await clearViews(tx, incident, settings.askedAt);
    const regrouped = ends ? await regroup(tx, incident.lostGroups, settings) : 0;
    const [open] = await tx`
      select 1 from incident i where i.id = ${incident.id} and i.state <> 'resolved' and not exists (
        select 1 from incident_service x join service s on s.id = x.service_id where x.incident_id = i.id and s.retired_at is null)
      for no key update of i`;
    if (open === undefined) return null;
    await saveRun(tx, incident.id, run, passes, settings.askedAt);
    await tx`update incident set passes = ${passes}, passed_at = case when ${decision.passed} then ${settings.askedAt}::timestamptz end,
               first_broken = coalesce(${decision.firstBroken}, first_broken) where id = ${incident.id}`;
    if (!decision.passed) {
      await addTimeline(tx, incident.id, { event: 'group.unverified', verdict: decision.verdict });
      return false;
    }
    await addTimeline(tx, incident.id, { event: 'group.verified', passes, required: settings.requiredPasses });
    if (ends) await resolve(tx, incident.id, run.verification, regrouped);
    else await askForPoll(tx, [incident.id], settings.everyMs);
    return ends;
  });
}

async function saveRun(
  tx: Transaction,
  incidentId: string,
  { verification, layers, decision }: Run,
  passes: number,
  askedAt: Date,
) {
  await tx`
    insert into verification (id, incident_id, generation, started_at, finished_at, verdict, first_broken, runbook, passed, passes, overtaken)
    values (${verification}, ${incidentId}, 0, ${askedAt}, clock_timestamp(), ${decision.verdict}, ${decision.firstBroken}, ${decision.runbook},
            ${decision.passed}, ${passes}, false)`;
  await tx`
    insert into verification_layer (verification_id, layer, outcome, reason, latency_ms, detail)
    select ${verification}, i.layer, i.outcome, i.reason, null, i.detail
    from unnest(${layers.map((l) => l.layer)}::text[], ${layers.map((l) => l.outcome)}::text[], ${layers.map((l) => l.reason)}::text[],
      ${layers.map((l) => l.detail)}::text[]) as i(layer, outcome, reason, detail)`;
}

/** What was last reported of the members that are up is answered: until something newer comes they are not down. */
async function clearViews(tx: Transaction, incident: UnservedIncident, askedAt: Date): Promise<void> {
  await tx`
    with answered as materialized (
      select c.subject_id from connectivity c join incident_subject x on x.subject_id = c.subject_id join subject s on s.id = c.subject_id
      where x.incident_id = ${incident.id} and c.moved_at < ${askedAt} and coalesce(s.device_id, s.id) <> all(${[...incident.lostGroups]}::bigint[])
      order by c.subject_id for no key update of c
    )
    update connectivity c set cleared_key = c.observation_key, suspect_disconnected = false, suspect_connected = false
    from answered a where a.subject_id = c.subject_id`;
}

async function resolve(tx: Transaction, id: string, verification: string, regrouped: number): Promise<void> {
  const webhookMissing = await isWebhookMissing(tx, id);
  await tx`update incident set state = 'resolved', resolved_at = clock_timestamp(), resolved_by = ${verification} where id = ${id}`;
  if (regrouped > 0) await addTimeline(tx, id, { event: 'mass.regrouped', groups: regrouped });
  await addTimeline(tx, id, { event: 'incident.resolved', webhookMissing });
  await summarizeEnded(tx, id);
}
