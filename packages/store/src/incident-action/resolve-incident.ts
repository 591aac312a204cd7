import { decideEnding, type EndingRefusal, type SafeName, type SignAudit } from '@tidegate/core';
import { type Audited, inAuditedTransaction } from '../audit/in-audited-transaction.ts';
import type { Sql, Transaction } from '../database/connect.ts';
import { addTimeline } from '../incident/add-timeline.ts';
import { summarizeEnded } from '../incident/summarize-incident.ts';
import { type IncidentOrder, type LockedIncident, lockIncident, type OutOfReach } from './lock-incident.ts';

/** A person's word that an incident is over although nothing proves it. */
export interface Override {
  readonly reason: SafeName;
  /** Milliseconds from now, by Postgres' clock, after which it is looked at again. */
  readonly forMs: number;
}

export type ResolvedIncident =
  | { readonly kind: 'resolved'; readonly by: 'evidence'; readonly verification: string }
  | { readonly kind: 'resolved'; readonly by: 'override'; readonly until: Date }
  | { readonly kind: 'refused'; readonly reason: EndingRefusal; readonly mergedInto: string | null }
  | OutOfReach;

/**
 * Ends an incident at a person's request, with its audit row: by the verification that proves it is over, or by an override
 * with a reason and an expiry (I11). An override moves no gate, and until it expires what it ended is not told again; see
 * `endOverrides`.
 */
export async function resolveIncident(
  sql: Sql,
  order: IncidentOrder & { readonly override: Override | null },
  sign: SignAudit,
): Promise<Audited<ResolvedIncident>> {
  return inAuditedTransaction<ResolvedIncident>(sql, sign, async (tx) => {
    const found = await lockIncident(tx, order);
    if (found.kind !== 'found') return { outcome: found, entry: null };
    const { incident } = found;
    const { actor, keyId, override } = order;
    const facts = {
      state: incident.state,
      down: await isDown(tx, incident.id),
      evidence: await findEvidence(tx, incident.id),
    };
    const ending = decideEnding(facts, override !== null);
    if (ending.decision === 'refuse') {
      return { outcome: { kind: 'refused', reason: ending.reason, mergedInto: incident.mergedInto }, entry: null };
    }
    const made = { actor, target: incident.id, reason: override?.reason ?? null } as const;
    if (ending.decision === 'end_by_evidence') {
      const { verification } = ending;
      await endByEvidence(tx, incident, verification, actor);
      const entry = { ...made, action: 'incident.resolve', facts: { verification, key: keyId } } as const;
      return { outcome: { kind: 'resolved', by: 'evidence', verification }, entry };
    }
    if (override === null) throw new Error('an override was decided without one');
    const until = await endByOverride(tx, incident, override, actor);
    const entry = {
      ...made,
      action: 'incident.override',
      facts: { until: until.toISOString(), down: facts.down, key: keyId },
    } as const;
    return { outcome: { kind: 'resolved', by: 'override', until }, entry };
  });
}

async function isDown(tx: Transaction, id: string): Promise<boolean> {
  const [row] = await tx<{ down: boolean }[]>`
    select exists (select 1 from incident_subject x join subject_told t on t.subject_id = x.subject_id
                    where x.incident_id = ${id} and t.down) as down`;
  return row?.down ?? false;
}

/** Null unless it has services and all their gates stand open on evidence. */
async function findEvidence(tx: Transaction, id: string): Promise<string | null> {
  const [row] = await tx<{ waiting: number; evidence: string | null }[]>`
    select
      (select count(*)::int from incident_service x join gate g on g.service_id = x.service_id join service s on s.id = x.service_id
        where x.incident_id = ${id} and s.retired_at is null and g.opened_by is null) as waiting,
      (select v.id from verification v join incident i on i.id = ${id}
        where v.service_id in (select service_id from incident_service where incident_id = ${id})
          and v.passed and not v.overtaken and v.started_at >= i.opened_at
        order by v.started_at desc limit 1) as evidence`;
  return row === undefined || row.waiting > 0 ? null : row.evidence;
}

async function endByEvidence(
  tx: Transaction,
  { id }: LockedIncident,
  verification: string,
  by: SafeName,
): Promise<void> {
  await tx`update incident set state = 'resolved', resolved_at = clock_timestamp(), resolved_by = ${verification} where id = ${id}`;
  await addTimeline(tx, id, { event: 'incident.resolved', webhookMissing: false, by });
  await summarizeEnded(tx, id);
}

async function endByOverride(
  tx: Transaction,
  { id }: LockedIncident,
  { reason, forMs }: Override,
  by: SafeName,
): Promise<Date> {
  const [row] = await tx<{ until: Date }[]>`
    update incident set state = 'resolved', resolved_at = clock_timestamp(), override_actor = ${by}, override_reason = ${reason},
      override_expires_at = clock_timestamp() + make_interval(secs => ${forMs}::float8 / 1000.0)
    where id = ${id} returning override_expires_at as until`;
  if (row === undefined) throw new Error('a locked incident is gone');
  await addTimeline(tx, id, { event: 'incident.overridden', by, reason });
  await summarizeEnded(tx, id);
  return row.until;
}
