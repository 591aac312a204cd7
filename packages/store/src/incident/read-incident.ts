import type { CallbackState, FlapWorst, LayerResult, Verdict } from '@tidegate/core';
import type { Sql, Transaction } from '../database/connect.ts';
import { toStoreError } from '../database/store-error.ts';
import { type IncidentRow, incidentColumns, namesOneOf } from './list-incidents.ts';

export interface VerificationView {
  readonly id: string;
  /** Null: of the incident's devices and tunnels themselves, since no service depends on them. */
  readonly service: string | null;
  /** Of the gate, as the run began; without a service it means nothing. */
  readonly generation: number;
  readonly startedAt: Date;
  readonly verdict: Verdict;
  readonly firstBroken: LayerResult['layer'] | null;
  readonly runbook: string;
  readonly overtaken: boolean;
  readonly layers: LayerResult[];
}

export interface IncidentDetail extends IncidentRow {
  /** Devices first, two hundred at most. */
  readonly subjects: { alias: string; name: string | null; type: string; why: string }[];
  /** How many there are. */
  readonly subjectCount: number;
  readonly timeline: { at: Date; event: string; why: string }[];
  readonly verifications: VerificationView[];
  /** Of its services that are not retired, with the generation that each gate has now. */
  readonly gates: { service: string; generation: number }[];
  /** Of one that flaps: when it settles if nothing changes until then; null while that is not known. */
  readonly calmAt: Date | null;
  readonly callbacks: Partial<Record<CallbackState, number>>;
  /** Null for one that never flapped. */
  readonly flapping: { readonly changes: number; readonly worst: FlapWorst | null } | null;
}

const NEWEST_VERIFICATIONS = 50;
/** An outage of a hundred thousand tunnels is looked at as often as any other. */
const MOST_SUBJECTS = 200;

/** One incident with its timeline, its first subjects, the verifications that led to it and since (newest 50) and the callbacks of its services; null if unknown. */
export async function readIncident(
  sql: Sql,
  id: string,
  services: readonly string[] | null,
): Promise<IncidentDetail | null> {
  try {
    const [row] = await sql<(IncidentRow & Pick<IncidentDetail, 'flapping' | 'subjectCount' | 'calmAt'>)[]>`
      select ${incidentColumns(sql)}, (select count(*)::int from incident_subject where incident_id = i.id) as subject_count,
        case when i.flap_counted_at is not null then json_build_object('changes', i.flap_changes, 'worst', i.flap_worst) end as flapping,
        ${calmAtOf(sql)} as calm_at
      from incident i left join subject g on g.id = i.group_id
      where i.id = ${id} ${services === null ? sql`` : sql`and ${namesOneOf(sql, services)}`}`;
    if (row === undefined) return null;
    const [subjects, timeline, verifications, gates, callbacks] = await Promise.all([
      sql<IncidentDetail['subjects']>`
        select s.alias, s.name, s.type, x.why from incident_subject x join subject s on s.id = x.subject_id
        where x.incident_id = ${id} order by s.type, s.id limit ${MOST_SUBJECTS}`,
      sql<
        IncidentDetail['timeline']
      >`select at, event, why from timeline_entry where incident_id = ${id} order by at, id`,
      listVerifications(sql, row),
      sql<IncidentDetail['gates']>`
        select s.name as service, g.generation from incident_service x join service s on s.id = x.service_id join gate g on g.service_id = s.id
        where x.incident_id = ${id} and s.retired_at is null order by s.name`,
      sql<{ state: CallbackState; count: number }[]>`
        select c.state, count(*)::int as count from callback c
        where c.service_id in (select service_id from incident_service where incident_id = ${id})
          and (c.finished_at is null or c.finished_at >= ${row.openedAt})
        group by c.state`,
    ]);
    return {
      ...row,
      subjects,
      timeline,
      verifications,
      gates,
      callbacks: Object.fromEntries(callbacks.map((c) => [c.state, c.count])),
    };
  } catch (error) {
    throw toStoreError(error);
  }
}

/** What led to an incident ended shortly before it was opened, under the generation that the gate still has. */
export function ledTo(sql: Sql | Transaction, openedAt: ReturnType<Sql>) {
  return sql`(v.started_at >= ${openedAt} - interval '1 hour' and v.generation = (select g.generation from gate g where g.service_id = v.service_id))`;
}

/** The next look at a group of which nothing waits is the one at which it settles. */
export function calmAtOf(sql: Sql | Transaction) {
  return sql`(select max(p.due_at) from pending p
    where i.kind = 'flapping' and p.group_id in (select m.id from subject m where m.id = i.group_id or m.device_id = i.group_id)
    having bool_and(p.count = 0))`;
}

async function listVerifications(sql: Sql, incident: IncidentRow): Promise<VerificationView[]> {
  return sql<VerificationView[]>`
    select v.id, s.name as service, v.generation, v.started_at, v.verdict, v.first_broken, v.runbook, v.overtaken,
      (select coalesce(json_agg(json_build_object('layer', l.layer, 'outcome', l.outcome, 'reason', l.reason, 'latencyMs', l.latency_ms, 'detail', l.detail)), '[]')
        from verification_layer l where l.verification_id = v.id) as layers
    from verification v left join service s on s.id = v.service_id
    where (v.incident_id = ${incident.id} or v.service_id in (select service_id from incident_service where incident_id = ${incident.id}))
      and (v.finished_at >= ${incident.openedAt} or (${incident.resolvedAt === null} and ${ledTo(sql, sql`${incident.openedAt}::timestamptz`)})) and (${incident.resolvedAt}::timestamptz is null or v.started_at <= ${incident.resolvedAt})
    order by v.started_at desc limit ${NEWEST_VERIFICATIONS}`;
}
