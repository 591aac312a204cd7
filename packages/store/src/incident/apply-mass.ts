import {
  type GroupDecision,
  type JoinReason,
  type SourceGroupRef,
  sanitizeName,
  type TimelineEvent,
} from '@tidegate/core';
import type { Transaction } from '../database/connect.ts';
import { absorbIncidents } from './absorb-incidents.ts';
import { addTimeline, type DatedEvent } from './add-timeline.ts';
import { describeServices } from './describe-services.ts';
import type { BeginningMass } from './find-mass.ts';
import { summarizeMass } from './summarize-incident.ts';

/** A batch of groups that join the mass outage of their source group. */
export interface MassJoining {
  readonly sourceGroup: string;
  readonly incidentId: string;
  /** Null when the incident is open already. */
  readonly beginning: BeginningMass | null;
  readonly groups: readonly {
    readonly decision: Extract<GroupDecision, { decision: 'join' }>;
    readonly idByAlias: ReadonlyMap<string, number>;
    readonly groupId: number;
  }[];
  readonly polls: boolean;
}

/**
 * Saves any number of groups into one mass incident, in a fixed number of statements: the incident if it begins, members,
 * their services, what merges into it, and a timeline of counts rather than names.
 */
export async function applyMass(tx: Transaction, joining: MassJoining): Promise<void> {
  const { incidentId, groups } = joining;
  const events: (TimelineEvent | DatedEvent)[] =
    joining.beginning === null ? [] : await begin(tx, joining, joining.beginning);
  const joined = groups.flatMap(({ decision, idByAlias, groupId }) =>
    decision.joined.map(({ subject, why }) => ({
      id: idByAlias.get(subject.alias) ?? groupId,
      type: subject.type,
      why,
    })),
  );
  const newServices = await join(tx, incidentId, joined);
  if (joined.length > 0) {
    const devices = joined.filter(({ type }) => type === 'device').length;
    events.push({ event: 'mass.joined', devices, tunnels: joined.length - devices });
  }
  const merge = groups.flatMap(({ decision }) => decision.merge);
  await absorbIncidents(tx, incidentId, merge);
  if (merge.length > 0) events.push({ event: 'mass.absorbed', incidents: merge.length });
  if (joining.beginning !== null) events.push(...(await describeServices(tx, incidentId, newServices)));
  await addTimeline(tx, incidentId, ...events);
  await summarizeMass(tx, incidentId, joining);
}

async function begin(
  tx: Transaction,
  { sourceGroup, incidentId }: MassJoining,
  { decision }: BeginningMass,
): Promise<TimelineEvent[]> {
  const { devices, knownDevices: known, windowMs } = decision;
  if (decision.decision === 'reopen') {
    await tx`update incident set state = 'open', resolved_at = null, resolved_by = null, acknowledged_at = null, acknowledged_by = null,
               override_actor = null, override_reason = null, override_expires_at = null, reopened = reopened + 1,
               passes = 0, passed_at = null where id = ${incidentId}`;
  } else {
    await tx`insert into incident (id, kind, mass_group, opened_at, summary) values (${incidentId}, 'mass', ${sourceGroup}, clock_timestamp(), '')`;
  }
  const group: SourceGroupRef = { type: 'source group', alias: sourceGroup, name: sanitizeName(sourceGroup) };
  const event = decision.decision === 'reopen' ? 'incident.reopened' : 'incident.opened';
  return [
    { event, kind: 'mass', group },
    { event: 'mass.started', devices: devices.length, known, windowMs },
  ];
}

async function join(
  tx: Transaction,
  incidentId: string,
  joined: readonly { readonly id: number; readonly why: JoinReason }[],
): Promise<number[]> {
  const ids = joined.map(({ id }) => id);
  await tx`
    insert into incident_subject (incident_id, subject_id, why, joined_at)
    select ${incidentId}, i.id, i.why, clock_timestamp()
    from unnest(${ids}::bigint[], ${joined.map(({ why }) => why)}::text[]) as i(id, why)
    order by i.id on conflict (incident_id, subject_id) do update set why = excluded.why, joined_at = excluded.joined_at`;
  const added = await tx<{ serviceId: number }[]>`
    insert into incident_service (incident_id, service_id)
    select distinct ${incidentId}, t.service_id from services_touched(${ids}::bigint[]) t
    order by 2 on conflict do nothing returning service_id`;
  return added.map((row) => row.serviceId);
}
