import {
  brokenLayer,
  findNextStep,
  type IncidentState,
  type IncidentSubject,
  type Layer,
  type NoticeEnd,
  type NoticeSubject,
  type ToldNotice,
  type TriedRun,
} from '@tidegate/core';
import type { Transaction } from '../database/connect.ts';
import { sinceOf } from '../incident/list-incidents.ts';
import { calmAtOf, ledTo } from '../incident/read-incident.ts';

/** A notice that is due, locked, with what there is to tell and what was told. */
export interface DueNotice {
  readonly thread: string;
  readonly incidentId: string | null;
  readonly generation: number;
  readonly episode: number;
  /** Null when what it was about has been pruned. */
  readonly subject: NoticeSubject | null;
  /** Of this episode, oldest first. */
  readonly told: readonly (ToldNotice & { readonly severity: IncidentSeverity })[];
}

type IncidentSeverity = 'critical' | 'warning' | 'info';

interface NoticeRow {
  readonly thread: string;
  readonly incidentId: string | null;
  readonly serviceId: number | null;
  readonly generation: number;
  readonly episode: number;
  readonly waiting: number;
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
  readonly service: string | null;
}

/**
 * Locks notices that are due and loads what decides about them. Whatever another transaction has locked is left to the next
 * look: nothing is waited for here, so no order of locks can be broken.
 */
export async function loadDueNotices(tx: Transaction, limit: number): Promise<DueNotice[]> {
  const rows = await tx<NoticeRow[]>`
    select n.thread, n.incident_id, n.service_id, n.generation, n.episode, n.waiting, n.started_at, n.ended_at,
      (select s.name from service s where s.id = n.service_id) as service
    from notice n where n.due_at <= clock_timestamp() order by n.due_at, n.thread limit ${limit} for update of n skip locked`;
  if (rows.length === 0) return [];
  const incidents = await loadIncidents(
    tx,
    rows.flatMap(({ incidentId }) => (incidentId === null ? [] : [incidentId])),
  );
  const told = await loadTold(
    tx,
    rows.map(({ thread }) => thread),
  );
  return rows.map((row) => {
    const incident = row.incidentId === null ? null : (incidents.get(row.incidentId) ?? null);
    const episode = incident === null ? row.episode : incident.episode;
    return {
      thread: row.thread,
      incidentId: row.incidentId,
      generation: row.generation,
      episode,
      subject: row.incidentId === null ? toReview(row) : (incident?.subject ?? null),
      told: (told.get(row.thread) ?? []).filter((one) => one.episode === episode),
    };
  });
}

function toReview({ thread, service, waiting, startedAt, endedAt }: NoticeRow): NoticeSubject | null {
  if (service === null) return null;
  const startedAtMs = startedAt?.getTime() ?? 0;
  return { about: 'review', thread, service, waiting, startedAtMs, endedAtMs: endedAt?.getTime() ?? null };
}

interface IncidentFacts {
  readonly id: string;
  readonly kind: IncidentSubject['kind'];
  readonly state: IncidentState;
  readonly reopened: number;
  readonly summary: string;
  readonly firstBroken: Layer | null;
  readonly alias: string;
  readonly name: string | null;
  readonly startedAt: Date;
  readonly resolvedAt: Date | null;
  readonly mergedInto: string | null;
  readonly overrideActor: string | null;
  readonly acknowledgedBy: string | null;
  readonly calmAt: Date | null;
  readonly gates: readonly { readonly service: string; readonly generation: number }[];
  readonly runs: readonly (Omit<TriedRun, 'startedAt'> & { readonly startedAt: string })[];
  readonly services: string[];
}

/** Of a mass outage may hang thousands, and the newest runs of the first say where to begin. */
const MOST_SERVICES = 50;

/** The beginning of one that reopened is that of its episode, as the timeline has it. */
async function loadIncidents(tx: Transaction, ids: readonly string[]) {
  const rows = await tx<IncidentFacts[]>`
    select i.id, i.kind, i.state, i.reopened, i.summary, i.first_broken, coalesce(g.alias, i.mass_group) as alias,
      coalesce(g.name, i.mass_group) as name, i.resolved_at, i.merged_into, i.override_actor, i.acknowledged_by,
      ${sinceOf(tx)} as started_at, ${calmAtOf(tx)} as calm_at, r.gates, r.runs,
      (select coalesce(array_agg(s.name order by s.name), '{}') from incident_service x join service s on s.id = x.service_id
        where x.incident_id = i.id) as services
    from incident i left join subject g on g.id = i.group_id cross join lateral ${newestRuns(tx)} r where i.id = any(${[...ids]}::text[])`;
  return new Map(rows.map((row) => [row.id, { subject: toIncident(row), episode: row.reopened }]));
}

/** The gates of an incident, and of each, or of its devices and tunnels themselves, the newest run that stands, else the newest; newest first. */
function newestRuns(tx: Transaction) {
  const newest = (which: ReturnType<Transaction>) => tx`(
    select v.* from verification v where v.service_id = w.id and (v.finished_at >= i.opened_at or ${ledTo(tx, tx`i.opened_at`)})
      and v.started_at >= i.opened_at - interval '1 hour' ${which} order by v.started_at desc limit 1)`;
  return tx`(
    with x as materialized (
      select s.id, s.name, g.generation from incident_service x join service s on s.id = x.service_id join gate g on g.service_id = s.id
      where x.incident_id = i.id and s.retired_at is null order by s.name limit ${MOST_SERVICES})
    select (select coalesce(json_agg(json_build_object('service', name, 'generation', generation)), '[]') from x) as gates,
      (select coalesce(json_agg(json_build_object('service', n.service, 'generation', n.generation, 'startedAt', n.started_at, 'verdict', n.verdict,
          'firstBroken', n.first_broken, 'runbook', n.runbook, 'overtaken', n.overtaken) order by n.started_at desc), '[]')
        from (
          select w.name as service, v.* from x w cross join lateral (
            select v.* from (${newest(tx`and not v.overtaken`)} union all ${newest(tx``)}) v order by v.overtaken limit 1) v
          union all
          select null, v.* from (select v.* from verification v where v.incident_id = i.id order by v.started_at desc limit 1) v
        ) n) as runs)`;
}

function toIncident(row: IncidentFacts): IncidentSubject {
  const {
    id,
    kind,
    state,
    summary,
    firstBroken,
    gates,
    calmAt,
    alias,
    name,
    services,
    startedAt,
    resolvedAt,
    acknowledgedBy,
  } = row;
  const runs = row.runs.map((run) => ({ ...run, startedAt: new Date(run.startedAt) }));
  const next = findNextStep({ kind, state, runs, gates, calmAt });
  return {
    about: 'incident',
    id,
    kind,
    summary,
    firstBroken,
    brokenNow: brokenLayer(next),
    step: next.step,
    group: { alias, name },
    services,
    startedAtMs: startedAt.getTime(),
    endedAtMs: row.state === 'resolved' ? (resolvedAt?.getTime() ?? null) : null,
    end: row.state === 'resolved' ? endOf(row) : null,
    acknowledgedBy,
  };
}

function endOf({ mergedInto, overrideActor }: IncidentFacts): NoticeEnd {
  if (mergedInto !== null) return { how: 'merged', into: mergedInto };
  return overrideActor === null ? { how: 'verified' } : { how: 'overridden', by: overrideActor };
}

type ToldRow = DueNotice['told'][number] & { readonly thread: string; readonly episode: number };

async function loadTold(tx: Transaction, threads: readonly string[]): Promise<Map<string, ToldRow[]>> {
  const rows = await tx<(Omit<ToldRow, 'decidedAtMs'> & { decidedAt: Date })[]>`
    select n.id, n.thread, n.episode, n.channel, n.kind, n.state, n.severity, n.reached or n.state in ('sending', 'sent') as reached,
      coalesce(c.last_sent_at > n.ended_at or n.reason = 'channel_removed', false) as took_since, n.news, n.acknowledged, n.decided_at
    from notification n left join notify_channel c on c.name = n.channel where n.thread = any(${[...threads]}::text[]) order by n.seq`;
  const byThread = new Map<string, ToldRow[]>();
  for (const { decidedAt, ...row } of rows) {
    const list = byThread.get(row.thread) ?? [];
    list.push({ ...row, decidedAtMs: decidedAt.getTime() });
    byThread.set(row.thread, list);
  }
  return byThread;
}
