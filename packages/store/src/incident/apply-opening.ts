import type {
  GateReason,
  GroupDecision,
  IncidentKind,
  Layer,
  SubjectRef,
  TimelineEvent,
  Verdict,
} from '@tidegate/core';
import type { Transaction } from '../database/connect.ts';
import { addTimeline, type DatedEvent } from './add-timeline.ts';

/** A fleet's worth of services would bury the line that matters. */
const MOST_SERVICES_TOLD = 10;

/** A decision that puts subjects into an incident, with the ids its aliases stand for. */
export interface Opening {
  readonly groupId: number;
  readonly group: SubjectRef;
  readonly incidentId: string;
  readonly decision: Extract<GroupDecision, { decision: 'open' | 'reopen' | 'join' }>;
  readonly idByAlias: ReadonlyMap<string, number>;
}

/**
 * Saves an opening, reopening or joining: the incident, its subjects, the services they hold, the incidents it absorbs, and
 * the timeline that says why. An open incident that won a race is joined instead: the unique index decides (I4).
 * @returns the incident that now stands for the group
 */
export async function applyOpening(tx: Transaction, opening: Opening): Promise<string> {
  const { decision } = opening;
  const incidentId = await placeIncident(tx, opening);
  const events: (TimelineEvent | DatedEvent)[] = decision.decision === 'join' ? [] : [beginning(opening)];
  const before = decision.decision === 'join' ? await readKind(tx, incidentId) : decision.kind;
  if (before !== decision.kind) {
    await tx`update incident set kind = ${decision.kind} where id = ${incidentId}`;
    events.push({ event: 'incident.kind_changed', from: before, to: decision.kind });
  }
  const newServices = await joinSubjects(tx, opening, incidentId);
  events.push(
    ...decision.joined.map(({ subject, why }): TimelineEvent => ({ event: 'incident.joined', subject, why })),
  );
  for (const { incident, why } of decision.merge) {
    await absorb(tx, incident, incidentId);
    await addTimeline(tx, incident, { event: 'incident.merged', into: incidentId, why });
    events.push({ event: 'incident.absorbed', incident, why });
  }
  events.push(...(await describeServices(tx, incidentId, newServices)));
  await addTimeline(tx, incidentId, ...events);
  await summarize(tx, opening, incidentId);
  return incidentId;
}

async function placeIncident(tx: Transaction, { groupId, incidentId, decision }: Opening): Promise<string> {
  if (decision.decision === 'join') return incidentId;
  if (decision.decision === 'reopen') {
    await tx`update incident set state = 'open', resolved_at = null, resolved_by = null, acknowledged_at = null, first_broken = null, reopened = reopened + 1,
               kind = ${decision.kind} where id = ${incidentId}`;
    return incidentId;
  }
  const [row] = await tx<{ id: string }[]>`
    insert into incident (id, kind, group_id, opened_at, summary)
    values (${incidentId}, ${decision.kind}, ${groupId}, clock_timestamp(), '')
    on conflict (group_id) where state <> 'resolved' do update set group_id = excluded.group_id
    returning id`;
  return row?.id ?? incidentId;
}

function beginning({ decision, group }: Opening): TimelineEvent {
  const event = decision.decision === 'reopen' ? 'incident.reopened' : 'incident.opened';
  return { event, kind: decision.kind, group };
}

async function readKind(tx: Transaction, incidentId: string): Promise<IncidentKind> {
  const [row] = await tx<{ kind: IncidentKind }[]>`select kind from incident where id = ${incidentId}`;
  return row?.kind ?? 'tunnel';
}

async function joinSubjects(
  tx: Transaction,
  { decision, idByAlias, groupId }: Opening,
  incidentId: string,
): Promise<number[]> {
  const joined = decision.joined.map(({ subject, why }) => ({ id: idByAlias.get(subject.alias) ?? groupId, why }));
  await tx`
    insert into incident_subject (incident_id, subject_id, why, joined_at)
    select ${incidentId}, i.id, i.why, clock_timestamp()
    from unnest(${joined.map((j) => j.id)}::bigint[], ${joined.map((j) => j.why)}::text[]) as i(id, why)
    order by i.id on conflict do nothing`;
  // A token no device is linked to yet holds every service that has no device either: they belong to its incident.
  const added = await tx<{ serviceId: number }[]>`
    insert into incident_service (incident_id, service_id)
    select distinct ${incidentId}, t.service_id from services_touched(${joined.map((j) => j.id)}::bigint[]) t
    order by 2 on conflict do nothing returning service_id`;
  return added.map((row) => row.serviceId);
}

/** What this opening found: which gates are held and why, and where their last verification failed. */
async function describeServices(
  tx: Transaction,
  incidentId: string,
  serviceIds: readonly number[],
): Promise<DatedEvent[]> {
  const rows = await tx<
    {
      service: string;
      reason: GateReason;
      since: Date;
      finishedAt: Date | null;
      verdict: Verdict | null;
      firstBroken: Layer | null;
    }[]
  >`
    select s.name as service, g.reason, g.since, v.finished_at, v.verdict, v.first_broken
    from service s join gate g on g.service_id = s.id
    left join lateral (
      select verdict, first_broken, finished_at from verification v
      where v.service_id = s.id and v.generation = g.generation and not v.passed order by v.started_at desc limit 1
    ) v on true
    where s.id = any(${[...serviceIds]}::int[]) and g.state in ('held', 'verifying')
    order by s.name limit ${MOST_SERVICES_TOLD}`;
  const broken = rows.find((row) => row.firstBroken !== null)?.firstBroken ?? null;
  if (broken !== null) await tx`update incident set first_broken = ${broken} where id = ${incidentId}`;
  return rows.flatMap(({ service, reason, since, verdict, firstBroken, finishedAt }): DatedEvent[] => [
    { event: { event: 'gate.held', service, reason }, at: since },
    ...(verdict === null || finishedAt === null
      ? []
      : [{ event: { event: 'verification.failed', service, verdict, firstBroken } as const, at: finishedAt }]),
  ]);
}

async function absorb(tx: Transaction, from: string, into: string): Promise<void> {
  await tx`update incident set state = 'resolved', resolved_at = clock_timestamp(), merged_into = ${into} where id = ${from}`;
  await tx`insert into incident_subject (incident_id, subject_id, why, joined_at)
           select ${into}, subject_id, why, joined_at from incident_subject where incident_id = ${from} on conflict do nothing`;
  await tx`insert into incident_service (incident_id, service_id)
           select ${into}, service_id from incident_service where incident_id = ${from} on conflict do nothing`;
}

async function summarize(tx: Transaction, { decision, group }: Opening, incidentId: string): Promise<void> {
  const [row] = await tx<{ services: string[]; tunnels: number }[]>`
    select (select coalesce(array_agg(s.name order by s.name), '{}') from incident_service x join service s on s.id = x.service_id
             where x.incident_id = ${incidentId}) as services,
      (select count(*)::int from incident_subject x join subject s on s.id = x.subject_id
        where x.incident_id = ${incidentId} and s.type = 'tunnel') as tunnels`;
  const services = row?.services ?? [];
  const shown = services.slice(0, 3).join(', ') + (services.length > 3 ? ` and ${services.length - 3} more` : '');
  const what = `${group.type === 'device' ? 'Device' : 'Tunnel'} ${group.name ?? group.alias}`;
  const state = decision.kind === 'flapping' ? 'is flapping' : 'is disconnected';
  const tunnels = group.type === 'device' && (row?.tunnels ?? 0) > 0 ? `, ${row?.tunnels} of its tunnels with it` : '';
  const held = services.length > 0 ? `; held: ${shown}` : '; no service depends on it';
  await tx`update incident set summary = ${`${what} ${state}${tunnels}${held}.`} where id = ${incidentId}`;
}
