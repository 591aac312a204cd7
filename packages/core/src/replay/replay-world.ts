import { combinePolicies } from '../correlate/combine-policies.ts';
import { dueAt, type Pending } from '../correlate/due-at.ts';
import type { GroupFacts } from '../correlate/group-decision.ts';
import { groupKey } from '../correlate/group-key.ts';
import type { IncidentKind } from '../model/incident.ts';
import type { Policy } from '../model/policy.ts';
import { BusyGroups } from './busy-groups.ts';
import type { ReplayHistory, ReplayObservation, ReplayRules, ReplaySubject } from './replay-model.ts';
import { SubjectStates } from './subject-states.ts';

/** An incident while it is played. */
export interface PlayedIncident {
  readonly id: string;
  kind: IncidentKind;
  readonly group: string;
  readonly since: number;
  readonly openedAt: number;
  readonly reopenedAt: number[];
  readonly flappingAt: number[];
  readonly members: Set<string>;
  /** When each member joined, the latest time; epoch ms. */
  readonly joinedAt: Map<string, number>;
  resolvedAt: number | null;
  mergedInto: string | null;
  /** Since when a verification would pass; null while something is down. */
  backAt: number | null;
  readonly policy: Policy;
}

/** When an incident opened, or reopened last; epoch ms. */
export function begunAt({ openedAt, reopenedAt }: PlayedIncident): number {
  return reopenedAt.at(-1) ?? openedAt;
}

export interface PlayedGroup {
  readonly alias: string;
  /** Its place among all; groups are played in this order, whatever happened to them first. */
  readonly place: number;
  readonly subject: ReplaySubject;
  readonly members: readonly ReplaySubject[];
  readonly policy: Policy;
  pending: Pending | null;
  lookAgainAt: number | null;
  open: PlayedIncident | null;
  lastResolved: { readonly id: string; readonly resolvedAt: number } | null;
}

export interface PlayedSourceGroup {
  readonly name: string;
  readonly policy: Policy;
  readonly groups: readonly PlayedGroup[];
  /** Those of them that are devices. */
  readonly knownDevices: number;
  readonly busy: BusyGroups<PlayedGroup>;
  mass: PlayedIncident | null;
  lastMass: { readonly id: string; readonly resolvedAt: number } | null;
}

/** Everything the simulated Tidegate holds. */
export interface ReplayWorld {
  readonly rules: ReplayRules;
  readonly states: SubjectStates;
  readonly subjects: ReadonlyMap<string, ReplaySubject>;
  readonly groups: ReadonlyMap<string, PlayedGroup>;
  readonly sourceGroups: readonly PlayedSourceGroup[];
  /** The same by name. */
  readonly sources: ReadonlyMap<string, PlayedSourceGroup>;
  readonly incidents: Map<string, PlayedIncident>;
  readonly blips: { group: string; at: number }[];
}

/** The world before the first observation. */
export function createWorld(history: ReplayHistory, rules: ReplayRules): ReplayWorld {
  const subjects = new Map(history.subjects.map((subject) => [subject.alias, subject]));
  const policyOf = (members: readonly ReplaySubject[]) => {
    const names = [...new Set(members.flatMap(({ policies }) => policies))].sort();
    return combinePolicies(
      names.map((name) => rules.byName[name] ?? rules.fallback),
      rules.fallback,
    );
  };
  const groups = new Map<string, PlayedGroup>();
  for (const [alias, members] of groupBy([...subjects.values()].sort(byAlias), groupKey)) {
    const subject = subjects.get(alias);
    if (subject === undefined) continue;
    const idle = { pending: null, lookAgainAt: null, open: null, lastResolved: null };
    groups.set(alias, { alias, place: groups.size, subject, members, policy: policyOf(members), ...idle });
  }
  const sourceGroups = [...groupBy([...groups.values()], ({ subject }) => subject.sourceGroup)].map(([name, own]) => ({
    name,
    policy: policyOf(own.flatMap(({ members }) => members)),
    groups: own,
    knownDevices: own.filter(({ subject }) => subject.type === 'device').length,
    busy: new BusyGroups<PlayedGroup>(),
    mass: null,
    lastMass: null,
  }));
  const states = new SubjectStates();
  for (const observation of history.before) if (subjects.has(observation.subject)) states.observe(observation);
  const sources = new Map(sourceGroups.map((source) => [source.name, source]));
  return { rules, states, subjects, groups, sourceGroups, sources, incidents: new Map(), blips: [] };
}

/** Records what was received at one moment: views move, and groups that somebody watches are armed. */
export function receive(world: ReplayWorld, observations: readonly ReplayObservation[], now: number): void {
  for (const observation of observations) {
    const subject = world.subjects.get(observation.subject);
    const group = subject && world.groups.get(groupKey(subject));
    if (subject === undefined || group === undefined) continue;
    world.states.observe(observation);
    if (!subject.watched && !group.subject.watched) continue;
    const { firstAt, n, disconnects = 0 } = group.pending ?? { firstAt: now, n: 0, disconnects: 0 };
    const dropped = observation.status === 'disconnected' ? 1 : 0;
    group.pending = { firstAt, lastAt: now, n: n + 1, disconnects: disconnects + dropped };
    world.sources.get(subject.sourceGroup)?.busy.touch(group);
  }
}

/** The group's members as the correlator would see them: a tunnel nobody watches is down with its device only. */
export function membersOf({ states }: ReplayWorld, group: PlayedGroup): GroupFacts['members'] {
  const deviceDown = group.subject.watched && group.subject.type === 'device' && states.isDown(group.alias);
  return group.members.map((subject) =>
    states.toMember(subject, states.isDown(subject.alias) && (subject.watched || deviceDown)),
  );
}

export function isDue(group: PlayedGroup, now: number): boolean {
  if (group.pending !== null && dueAt(group.pending, group.policy) <= now) return true;
  return group.lookAgainAt !== null && group.lookAgainAt <= now;
}

function byAlias(a: ReplaySubject, b: ReplaySubject): number {
  return a.alias < b.alias ? -1 : Number(a.alias > b.alias);
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, T[]> {
  const found = new Map<string, T[]>();
  for (const item of items) {
    const own = found.get(keyOf(item));
    if (own === undefined) found.set(keyOf(item), [item]);
    else own.push(item);
  }
  return found;
}
