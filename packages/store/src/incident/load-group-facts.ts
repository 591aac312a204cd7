import {
  combinePolicies,
  type GroupFacts,
  type IncidentKind,
  isToldWithMass,
  type OpenMass,
  type Policy,
  type SafeName,
  type SubjectType,
} from '@tidegate/core';
import type { Transaction } from '../database/connect.ts';
import { listOverridden } from '../incident-action/list-overridden.ts';
import { STAND_IN_VERSION } from '../subject/stand-in-version.ts';
import { sinceOf } from './list-incidents.ts';
import { loadTransitions } from './load-transitions.ts';
import type { Policies } from './policies.ts';
import type { DueGroup } from './take-due-groups.ts';
import { wasBack } from './was-back.ts';

/** The facts of one group, with the ids that the decision's aliases stand for. */
export interface LoadedGroup {
  readonly due: DueGroup;
  readonly facts: GroupFacts;
  readonly idByAlias: ReadonlyMap<string, number>;
  readonly sourceGroup: string;
}

/** The mass outage of one source group: open already, or about to be opened by this pass. */
export interface StandingMass {
  readonly id: string;
  /** This pass opens or reopens it: who was in it before joins anew. */
  readonly begins: boolean;
  /** Epoch ms up to which a first sign belongs to it; see `OpenMass`. */
  readonly joinsUntil: number;
  /** Groups lost within its window, whose own incidents merge into it; only in the pass that opens it. */
  readonly absorbs: ReadonlySet<number>;
  /** When it began last, in epoch ms, and `mass.window`; see `isToldWithMass`. */
  readonly begunAt: number;
  readonly windowMs: number;
}

interface MemberRow {
  groupId: number;
  id: number;
  alias: string;
  type: SubjectType;
  name: SafeName | null;
  groupName: string;
  down: boolean;
  polled: boolean;
  sinceMs: number;
  observedAt: Date | null;
}

interface IncidentFactRow {
  id: string;
  kind: IncidentKind;
  groupId: number;
  ownGroup: boolean;
  /** Or reopened last. */
  openedAt: number;
  members: string[];
}

/**
 * Loads what `decideGroup` needs for a batch of groups, in a fixed number of statements however many tunnels they have.
 * @param masses the mass outage of a source group, by its name
 */
export async function loadGroupFacts(
  tx: Transaction,
  groups: readonly DueGroup[],
  policies: Policies,
  masses: ReadonlyMap<string, StandingMass>,
): Promise<LoadedGroup[]> {
  const ids = groups.map((group) => group.groupId);
  const members = byGroup(await loadMembers(tx, ids));
  const incidents = byGroup(await loadOpenIncidents(tx, ids));
  const resolved = byGroup(await loadLastResolved(tx, ids));
  const owners = byGroup(await loadPolicyNames(tx, ids));
  const policyOf = (groupId: number): Policy =>
    combinePolicies(
      (owners.get(groupId) ?? []).flatMap(({ policyName }) => policies.byName[policyName] ?? []),
      policies.fallback,
    );
  const transitions = await loadTransitions(
    tx,
    ids.map((groupId) => ({
      groupId,
      flap: policyOf(groupId).flap,
      wasFlapping: (incidents.get(groupId) ?? []).some(({ kind }) => kind === 'flapping'),
    })),
  );
  const overridden = await listOverridden(tx, ids);
  const told = await loadMassMembers(tx, masses, ids);
  return groups.flatMap((due) => {
    const own = members.get(due.groupId) ?? [];
    const subject = own.find((row) => row.id === due.groupId);
    if (subject === undefined) return [];
    const [last] = resolved.get(due.groupId) ?? [];
    const { open, memberIncidents } = sortIncidents(incidents.get(due.groupId) ?? []);
    const facts: GroupFacts = {
      group: { alias: subject.alias, type: subject.type, name: subject.name },
      members: own.map(toMember),
      open,
      memberIncidents,
      mass: toMass(masses.get(subject.groupName), due.groupId, open, told.get(due.groupId)),
      lastResolved: last === undefined ? null : { id: last.id, resolvedAt: last.resolvedAt.getTime() },
      overridden: overridden.has(due.groupId),
      policy: policyOf(due.groupId),
      pending: toPending(due),
      transitions: transitions.get(due.groupId) ?? [],
    };
    return [{ due, facts, idByAlias: new Map(own.map((row) => [row.alias, row.id])), sourceGroup: subject.groupName }];
  });
}

async function loadMembers(tx: Transaction, ids: readonly number[]): Promise<MemberRow[]> {
  return tx<MemberRow[]>`
    select m.group_id, m.id, m.alias, m.type, m.name, s.group_name, m.down, m.polled, m.since_ms, m.observed_at
    from group_members(${[...ids]}::bigint[]) m join subject s on s.id = m.group_id order by m.id`;
}

/**
 * Open incidents of the groups and of their members' own groups, locked: none of them can end while it is being joined. One
 * that stands in for a device nobody had told of counts to a device that its service may be meant by: to the first of them.
 */
async function loadOpenIncidents(tx: Transaction, ids: readonly number[]): Promise<IncidentFactRow[]> {
  const standIns = await tx<{ subjectId: number; groupId: number }[]>`
    select f.subject_id, min(t.subject_id) as group_id from services_touched(${[...ids]}::bigint[]) t
    join fingerprint f on f.version = ${STAND_IN_VERSION} and f.value = convert_to('service ' || t.service_id, 'UTF8')
    group by f.subject_id`;
  const locked = await tx<{ id: string }[]>`
    select i.id from incident i join subject g on g.id = i.group_id
    where i.state <> 'resolved' and (g.id = any(${[...ids]}::bigint[]) or g.device_id = any(${[...ids]}::bigint[])
      or g.id = any(${standIns.map((row) => row.subjectId)}::bigint[]))
    order by i.id for no key update of i`;
  return tx<IncidentFactRow[]>`
    select i.id, i.kind, coalesce(a.group_id, g.device_id, g.id) as group_id, g.device_id is null and a.group_id is null as own_group,
      floor(extract(epoch from ${sinceOf(tx)}) * 1000)::float8 as opened_at,
      (select coalesce(array_agg(s.alias), '{}') from incident_subject x join subject s on s.id = x.subject_id where x.incident_id = i.id) as members
    from incident i join subject g on g.id = i.group_id
    left join unnest(${standIns.map((row) => row.subjectId)}::bigint[], ${standIns.map((row) => row.groupId)}::bigint[]) as a(subject_id, group_id)
      on a.subject_id = g.id
    where i.id = any(${locked.map((row) => row.id)}::text[]) and i.state <> 'resolved'`;
}

async function loadLastResolved(tx: Transaction, ids: readonly number[]) {
  return tx<{ groupId: number; id: string; resolvedAt: Date }[]>`
    select distinct on (group_id) group_id, id, resolved_at from incident
    where group_id = any(${[...ids]}::bigint[]) and state = 'resolved' and merged_into is null order by group_id, resolved_at desc`;
}

async function loadPolicyNames(tx: Transaction, ids: readonly number[]) {
  return tx<{ groupId: number; policyName: string }[]>`
    select distinct coalesce(m.device_id, m.id) as group_id, s.policy_name
    from subject m join dependency d on d.subject_id = m.id join service s on s.id = d.service_id
    where m.id = any(${[...ids]}::bigint[]) or m.device_id = any(${[...ids]}::bigint[])
    order by 1, 2`;
}

/**
 * For each group, the aliases of its members that an open mass incident holds already, and those of them that were back
 * since.
 */
async function loadMassMembers(
  tx: Transaction,
  masses: ReadonlyMap<string, StandingMass>,
  ids: readonly number[],
): Promise<ReadonlyMap<number, { members: string[]; back: string[] }>> {
  const standing = [...masses.values()].filter(({ begins }) => !begins).map(({ id }) => id);
  if (standing.length === 0) return new Map();
  const rows = await tx<{ groupId: number; members: string[]; back: string[] }[]>`
    select coalesce(s.device_id, s.id) as group_id, array_agg(s.alias) as members,
      coalesce(array_agg(s.alias) filter (where ${wasBack(tx)}), '{}') as back
    from incident_subject x join subject s on s.id = x.subject_id
    where x.incident_id = any(${standing}::text[]) and (s.id = any(${[...ids]}::bigint[]) or s.device_id = any(${[...ids]}::bigint[]))
    group by 1`;
  return new Map(rows.map(({ groupId, ...row }) => [groupId, row]));
}

function sortIncidents(rows: readonly IncidentFactRow[]) {
  return { open: rows.find((row) => row.ownGroup) ?? null, memberIncidents: rows.filter((row) => !row.ownGroup) };
}

function toMass(
  mass: StandingMass | undefined,
  groupId: number,
  open: IncidentFactRow | null,
  told: { readonly members: readonly string[]; readonly back: readonly string[] } | undefined,
): OpenMass | null {
  if (mass === undefined) return null;
  const { id, joinsUntil } = mass;
  const absorbs = mass.absorbs.has(groupId) || (open !== null && isToldWithMass(open.openedAt, mass));
  return { id, members: told?.members ?? [], back: told?.back ?? [], joinsUntil, absorbs };
}

function toMember({ alias, type, name, down, polled, sinceMs, observedAt }: MemberRow): GroupFacts['members'][number] {
  return { alias, type, name, down, polled, since: sinceMs, observedAt: observedAt?.getTime() ?? 0 };
}

/** A row that only waits to look again holds no observation, so nothing is pending. */
function toPending(due: DueGroup): GroupFacts['pending'] {
  if (due.count === 0) return null;
  return { firstAt: due.firstAt.getTime(), lastAt: due.lastAt.getTime(), n: due.count, disconnects: due.disconnects };
}

function byGroup<T extends { groupId: number }>(rows: readonly T[]): ReadonlyMap<number, readonly T[]> {
  const groups = new Map<number, T[]>();
  for (const row of rows) {
    const group = groups.get(row.groupId);
    if (group === undefined) groups.set(row.groupId, [row]);
    else group.push(row);
  }
  return groups;
}
