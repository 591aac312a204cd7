import type { GroupDecision, IncidentKind, SubjectRef, TimelineEvent } from '@tidegate/core';
import type { Transaction } from '../database/connect.ts';
import { raiseGenerations } from '../gate/raise-generations.ts';
import { tryLockGates } from '../gate/try-lock-gates.ts';
import { absorbIncidents } from './absorb-incidents.ts';
import { addTimeline, type DatedEvent } from './add-timeline.ts';
import { describeServices } from './describe-services.ts';
import { summarizeIncident } from './summarize-incident.ts';

/** A decision that puts subjects into an incident of the group's own, with the ids its aliases stand for. */
export interface Opening {
  readonly groupId: number;
  readonly group: SubjectRef;
  readonly incidentId: string;
  readonly decision: Extract<GroupDecision, { decision: 'open' | 'reopen' | 'join' }>;
  readonly idByAlias: ReadonlyMap<string, number>;
  /** Whether API v2 can be asked; see `Policies`. */
  readonly polls: boolean;
}

/**
 * Saves an opening, reopening or joining: the incident, its subjects, the services they hold, the incidents it absorbs, and
 * the timeline that says why. An open incident that won a race is joined instead: the unique index decides (I4). Where
 * flapping starts or ends, the gates get a new generation in this transaction (I6).
 * @returns the incident that now stands for the group; null when a gate it must hold is busy, and nothing was saved
 */
export async function applyOpening(tx: Transaction, opening: Opening): Promise<string | null> {
  const { decision } = opening;
  const unstable = await listUnstable(tx, opening);
  if (!(await tryLockGates(tx, unstable))) return null;
  const incidentId = await placeIncident(tx, opening);
  const events: (TimelineEvent | DatedEvent)[] = decision.decision === 'join' ? [] : [beginning(opening)];
  events.push(...(await changeKind(tx, opening, incidentId)));
  const newServices = await joinSubjects(tx, opening, incidentId);
  events.push(
    ...decision.joined.map(({ subject, why }): TimelineEvent => ({ event: 'incident.joined', subject, why })),
  );
  await absorbIncidents(tx, incidentId, decision.merge);
  events.push(...decision.merge.map((merged): TimelineEvent => ({ event: 'incident.absorbed', ...merged })));
  await raiseGenerations(tx, unstable, 'flapping');
  events.push(...(await describeServices(tx, incidentId, newServices)));
  await addTimeline(tx, incidentId, ...events);
  await summarizeIncident(tx, incidentId, opening);
  return incidentId;
}

/** Services whose gates flapping holds from now on, or, when it has settled, whose verifications may count again. */
async function listUnstable(tx: Transaction, opening: Opening): Promise<number[]> {
  const { decision, incidentId } = opening;
  if (decision.kind !== 'flapping' && decision.flap === null) return [];
  const touched = await tx<{ serviceId: number }[]>`
    select distinct service_id from services_touched(${joinedIds(opening)}::bigint[])`;
  // One that is reopened is about what it joins now.
  const standing = decision.decision === 'reopen' ? [] : [incidentId];
  const own = await tx<{ serviceId: number }[]>`
    select distinct x.service_id from incident_service x join service s on s.id = x.service_id
    where x.incident_id = any(${[...standing, ...decision.merge.map(({ incident }) => incident)]}::text[]) and s.retired_at is null`;
  const before = new Set(own.map((row) => row.serviceId));
  const added = touched.map((row) => row.serviceId).filter((id) => !before.has(id));
  return decision.flap === null ? added : [...before, ...added];
}

async function placeIncident(tx: Transaction, { groupId, incidentId, decision }: Opening): Promise<string> {
  if (decision.decision === 'join') return incidentId;
  if (decision.decision === 'reopen') {
    await tx`update incident set state = 'open', resolved_at = null, resolved_by = null, acknowledged_at = null, acknowledged_by = null,
               override_actor = null, override_reason = null, override_expires_at = null, first_broken = null, reopened = reopened + 1,
               passes = 0, passed_at = null, kind = ${decision.kind} where id = ${incidentId}`;
    // It is about what is down now: with what came back it would end by the next look at a gate that stands open.
    await tx`delete from incident_service where incident_id = ${incidentId}`;
    await tx`delete from incident_subject where incident_id = ${incidentId}`;
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

async function changeKind(tx: Transaction, { decision }: Opening, incidentId: string): Promise<TimelineEvent[]> {
  const { kind, flap } = decision;
  const events: TimelineEvent[] = [];
  const before = decision.decision === 'join' ? await readKind(tx, incidentId) : kind;
  if (before !== kind) {
    await tx`update incident set kind = ${kind} where id = ${incidentId}`;
    // That an unstable connection settled says more than that it is now told as its cause.
    if (before !== 'flapping') events.push({ event: 'incident.kind_changed', from: before, to: kind });
  }
  if (flap !== null) events.push({ event: kind === 'flapping' ? 'flapping.started' : 'flapping.settled', ...flap });
  return events;
}

async function readKind(tx: Transaction, incidentId: string): Promise<IncidentKind> {
  const [row] = await tx<{ kind: IncidentKind }[]>`select kind from incident where id = ${incidentId}`;
  return row?.kind ?? 'tunnel';
}

function joinedIds({ decision, idByAlias, groupId }: Opening): number[] {
  return decision.joined.map(({ subject }) => idByAlias.get(subject.alias) ?? groupId);
}

async function joinSubjects(tx: Transaction, opening: Opening, incidentId: string): Promise<number[]> {
  const ids = joinedIds(opening);
  await tx`
    insert into incident_subject (incident_id, subject_id, why, joined_at)
    select ${incidentId}, i.id, i.why, clock_timestamp()
    from unnest(${ids}::bigint[], ${opening.decision.joined.map(({ why }) => why)}::text[]) as i(id, why)
    order by i.id on conflict do nothing`;
  // A token no device is linked to yet holds every service that has no device either: they belong to its incident.
  const added = await tx<{ serviceId: number }[]>`
    insert into incident_service (incident_id, service_id)
    select distinct ${incidentId}, t.service_id from services_touched(${ids}::bigint[]) t
    order by 2 on conflict do nothing returning service_id`;
  return added.map((row) => row.serviceId);
}
