import {
  combinePolicies,
  type GroupFacts,
  type IncidentKind,
  type Policy,
  type SafeName,
  type SubjectType,
} from '@tidegate/core';
import type { Transaction } from '../database/connect.ts';
import type { DueGroup } from './take-due-groups.ts';

/** The facts of one group, with the ids that the decision's aliases stand for. */
export interface LoadedGroup {
  readonly due: DueGroup;
  readonly facts: GroupFacts;
  readonly idByAlias: ReadonlyMap<string, number>;
}

export interface Policies {
  readonly byName: Readonly<Record<string, Policy>>;
  readonly fallback: Policy;
}

interface MemberRow {
  groupId: number;
  id: number;
  alias: string;
  type: SubjectType;
  name: SafeName | null;
  reportedDown: boolean;
  provedUp: boolean;
  watched: boolean;
  sinceMs: number | null;
  observedAt: Date | null;
}

interface IncidentFactRow {
  id: string;
  kind: IncidentKind;
  groupId: number;
  ownGroup: boolean;
  members: string[];
}

/** Loads what `decideGroup` needs for a batch of groups, in a fixed number of statements however many tunnels they have. */
export async function loadGroupFacts(
  tx: Transaction,
  groups: readonly DueGroup[],
  policies: Policies,
): Promise<LoadedGroup[]> {
  const ids = groups.map((group) => group.groupId);
  const members = await loadMembers(tx, ids);
  const incidents = await loadOpenIncidents(tx, ids);
  const resolved = await tx<{ groupId: number; id: string; resolvedAt: Date }[]>`
    select distinct on (group_id) group_id, id, resolved_at from incident
    where group_id = any(${ids}::bigint[]) and state = 'resolved' and merged_into is null order by group_id, resolved_at desc`;
  const used = await tx<{ groupId: number; policyName: string }[]>`
    select distinct coalesce(m.device_id, m.id) as group_id, s.policy_name
    from subject m join dependency d on d.subject_id = m.id join service s on s.id = d.service_id
    where m.id = any(${ids}::bigint[]) or m.device_id = any(${ids}::bigint[])`;
  return groups.flatMap((due) => {
    const own = members.filter((row) => row.groupId === due.groupId);
    const subject = own.find((row) => row.id === due.groupId);
    if (subject === undefined) return [];
    const last = resolved.find((row) => row.groupId === due.groupId);
    const open = incidents.find((row) => row.groupId === due.groupId && row.ownGroup);
    const names = used.filter((row) => row.groupId === due.groupId).map((row) => row.policyName);
    const facts: GroupFacts = {
      group: { alias: subject.alias, type: subject.type, name: subject.name },
      members: own.map((row) => toMember(row, isDown(subject))),
      open: open === undefined ? null : { id: open.id, kind: open.kind, members: open.members },
      memberIncidents: incidents.filter((row) => row.groupId === due.groupId && !row.ownGroup),
      lastResolved: last === undefined ? null : { id: last.id, resolvedAt: last.resolvedAt.getTime() },
      policy: combinePolicies(
        names.flatMap((name) => policies.byName[name] ?? []),
        policies.fallback,
      ),
      pending: {
        firstAt: due.firstAt.getTime(),
        lastAt: due.lastAt.getTime(),
        n: due.count,
        disconnects: due.disconnects,
      },
    };
    return [{ due, facts, idByAlias: new Map(own.map((row) => [row.alias, row.id])) }];
  });
}

/**
 * A subject is reported down by the view until a verification answers that very report. It is proved up while the gates of
 * all its services stand open by verification: a report older than that evidence does not count.
 */
async function loadMembers(tx: Transaction, ids: readonly number[]): Promise<MemberRow[]> {
  return tx<MemberRow[]>`
    select coalesce(s.device_id, s.id) as group_id, s.id, s.alias, s.type, s.name, c.moved_at as observed_at, (c.ticks / 10000)::int8 as since_ms,
      coalesce((c.disconnected and c.observation_key is distinct from c.cleared_key) or c.suspect_disconnected, false) as reported_down,
      coalesce((select bool_and(g.state in ('open', 'releasing') and g.reason = 'verified')
        from dependency d join gate g on g.service_id = d.service_id where d.subject_id = s.id), false) as proved_up,
      (exists (select 1 from dependency d where d.subject_id = s.id)
        or exists (select 1 from source o where o.group_name = s.group_name and o.watch = 'all')
        or (s.type = 'device' and s.linked_at is null and exists (
              select 1 from service v where v.group_name = s.group_name and v.device_id is null and v.retired_at is null))) as watched
    from subject s left join connectivity c on c.subject_id = s.id
    where s.id = any(${[...ids]}::bigint[]) or s.device_id = any(${[...ids]}::bigint[])
    order by s.id`;
}

/** Open incidents of the groups and of their members' own groups, locked: none of them can end while it is being joined. */
async function loadOpenIncidents(tx: Transaction, ids: readonly number[]): Promise<IncidentFactRow[]> {
  const locked = await tx<{ id: string }[]>`
    select i.id from incident i join subject g on g.id = i.group_id
    where i.state <> 'resolved' and (g.id = any(${[...ids]}::bigint[]) or g.device_id = any(${[...ids]}::bigint[]))
    order by i.id for no key update of i`;
  return tx<IncidentFactRow[]>`
    select i.id, i.kind, coalesce(g.device_id, g.id) as group_id, g.device_id is null as own_group,
      (select coalesce(array_agg(s.alias), '{}') from incident_subject x join subject s on s.id = x.subject_id where x.incident_id = i.id) as members
    from incident i join subject g on g.id = i.group_id
    where i.id = any(${locked.map((row) => row.id)}::text[]) and i.state <> 'resolved'`;
}

function isDown(row: MemberRow): boolean {
  return row.reportedDown && !row.provedUp && row.watched;
}

/** A tunnel nobody watches opens nothing by itself, but is shown as part of its device's outage. */
function toMember(row: MemberRow, deviceDown: boolean): GroupFacts['members'][number] {
  const down = isDown(row) || (deviceDown && row.reportedDown);
  const observedAt = row.observedAt?.getTime() ?? 0;
  return { alias: row.alias, type: row.type, name: row.name, down, since: row.sinceMs ?? observedAt, observedAt };
}
