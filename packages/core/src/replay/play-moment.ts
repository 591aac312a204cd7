import { decideGroup } from '../correlate/decide-group.ts';
import { decideMass, type LostDevice } from '../correlate/decide-mass.ts';
import type { GroupDecision, OpenMass } from '../correlate/group-decision.ts';
import { isToldWithMass } from '../correlate/is-told-with-mass.ts';
import { MASS_QUIET_MS } from '../correlate/mass-quiet-ms.ts';
import { isStillMass } from './end-incidents.ts';
import {
  begunAt,
  isDue,
  membersOf,
  type PlayedGroup,
  type PlayedIncident,
  type PlayedSourceGroup,
  type ReplayWorld,
} from './replay-world.ts';

/** Decides what is due at `now`, source group by source group: first whether a mass outage begins, then each group. */
export function playMoment(world: ReplayWorld, now: number): void {
  for (const source of world.sourceGroups) {
    const until = joinsUntil(world, source, now);
    const absorbed = until < now ? beginMass(world, source, now) : new Set<string>();
    const begins = absorbed.size > 0;
    const standing = begins ? Number.POSITIVE_INFINITY : until;
    for (const group of source.busy.list()) {
      const joins = standing >= now && joinsEarly(world, group, begins, now);
      if (!isDue(group, now) && !joins && !(absorbed.has(group.alias) && group.open !== null)) continue;
      const decision = decide(world, source, group, { absorbed, joinsUntil: standing }, now);
      if (decision.decision === 'wait') continue;
      group.pending = null;
      group.lookAgainAt = 'lookAgainAt' in decision ? decision.lookAgainAt : null;
      source.busy.touch(group);
      apply(world, source, group, decision, now);
    }
    dropEmptyMass(world, source, now);
  }
}

/** Of a source group: when the first sign of what is still down is as old as the debounce. */
export function ripenAfterMs({ policy }: PlayedSourceGroup): number {
  return Math.min(policy.openAfterMs, policy.maxWaitMs);
}

function beginMass(world: ReplayWorld, source: PlayedSourceGroup, now: number): ReadonlySet<string> {
  const none: ReadonlySet<string> = new Set();
  const { mass } = world.rules;
  const busy = source.busy.list();
  const dropped = busy.filter(({ pending }) => (pending?.disconnects ?? 0) > 0);
  const told = busy.some(({ open }) => open !== null) ? 1 : 0;
  if (mass === null || dropped.length === 0 || dropped.length + told < 2) return none;
  const ripe = now - ripenAfterMs(source);
  if (!dropped.some(({ pending }) => (pending?.firstAt ?? now) <= ripe)) return none;
  const openedSince = ripe - mass.windowMs - source.policy.maxWaitMs;
  const lost = busy
    .filter(({ pending, open }) => (pending?.disconnects ?? 0) > 0 || (open !== null && begunAt(open) >= openedSince))
    .flatMap((group) => toLost(world, group));
  const downNow = new Set(lost.map(({ alias }) => alias));
  const firstAt = Math.min(
    ...dropped.filter(({ alias }) => downNow.has(alias)).map(({ pending }) => pending?.firstAt ?? now),
  );
  if (firstAt > ripe) return none;
  const decision = decideMass({
    knownDevices: source.knownDevices,
    lost: lost.filter(({ alias }) => world.subjects.get(alias)?.type === 'device'),
    policy: { ...mass, reopenWithinMs: source.policy.reopenWithinMs },
    firstAt,
    lastResolved: source.lastMass,
  });
  if (decision.decision === 'none') return none;
  const again = source.mass?.id ?? (decision.decision === 'reopen' ? decision.incident : null);
  source.mass =
    again !== null
      ? reopen(world, again, now)
      : open(world, { kind: 'mass', group: source.name, since: decision.from, policy: source.policy }, now);
  return new Set(lost.filter(({ at }) => at >= decision.from && at <= decision.to).map(({ alias }) => alias));
}

/** As the correlator has it: within the window of the last that joined, and for ever while it still is a mass outage. */
function joinsUntil(world: ReplayWorld, source: PlayedSourceGroup, now: number): number {
  if (source.mass === null) return Number.NEGATIVE_INFINITY;
  const until = Math.max(...source.mass.joinedAt.values()) + (world.rules.mass?.windowMs ?? 0);
  return until < now && isStillMass(world, source) ? Number.POSITIVE_INFINITY : until;
}

function toLost(world: ReplayWorld, group: PlayedGroup): LostDevice[] {
  const down = membersOf(world, group).filter((member) => member.down);
  if (down.length === 0) return [];
  const own = down.find(({ alias }) => alias === group.alias);
  return [{ alias: group.alias, at: own?.since ?? Math.max(...down.map(({ since }) => since)) }];
}

function joinsEarly(world: ReplayWorld, group: PlayedGroup, begins: boolean, now: number): boolean {
  if ((group.pending?.disconnects ?? 0) === 0) return false;
  const quiet = begins || (group.pending?.lastAt ?? now) <= now - MASS_QUIET_MS;
  return quiet && group.members.some(({ alias }) => world.states.isDown(alias));
}

function decide(
  world: ReplayWorld,
  source: PlayedSourceGroup,
  group: PlayedGroup,
  { absorbed, joinsUntil }: { readonly absorbed: ReadonlySet<string>; readonly joinsUntil: number },
  now: number,
): GroupDecision {
  const { id, kind, members } = group.open ?? {};
  const begins = absorbed.size > 0;
  const mass: OpenMass | null =
    source.mass === null
      ? null
      : {
          id: source.mass.id,
          // Who was in it before it began anew joins anew.
          members: begins
            ? []
            : group.members.map(({ alias }) => alias).filter((alias) => source.mass?.members.has(alias)),
          back: group.members
            .map(({ alias }) => alias)
            .filter((alias) => world.states.wasUpSince(alias, source.mass?.joinedAt.get(alias))),
          joinsUntil,
          absorbs: absorbed.has(group.alias) || isToldWith(source.mass, group.open, world),
        };
  return decideGroup(
    {
      group: group.subject,
      members: membersOf(world, group),
      open: id === undefined || kind === undefined ? null : { id, kind, members: [...(members ?? [])] },
      mass,
      lastResolved: group.lastResolved,
      policy: group.policy,
      pending: (group.pending?.n ?? 0) === 0 ? null : group.pending,
      transitions: group.members.map(({ alias }) => ({ alias, at: world.states.transitions(alias) })),
    },
    now,
  );
}

function isToldWith(mass: PlayedIncident, open: PlayedIncident | null, { rules }: ReplayWorld): boolean {
  const windowMs = rules.mass?.windowMs ?? 0;
  return open !== null && isToldWithMass(begunAt(open), { begunAt: begunAt(mass), windowMs });
}

function apply(
  world: ReplayWorld,
  source: PlayedSourceGroup,
  group: PlayedGroup,
  decision: GroupDecision,
  now: number,
): void {
  if (decision.decision === 'blip') world.blips.push({ group: group.alias, at: now });
  if (decision.decision !== 'open' && decision.decision !== 'reopen' && decision.decision !== 'join') return;
  const { kind } = decision;
  let incident: PlayedIncident | null;
  if (decision.decision === 'open') {
    incident = open(world, { kind, group: group.alias, since: decision.since, policy: group.policy }, now);
  } else if (decision.decision === 'reopen') incident = reopen(world, decision.incident, now);
  else incident = kind === 'mass' ? source.mass : group.open;
  if (incident === null) return;
  if (kind !== 'mass') group.open = incident;
  if (kind === 'flapping' && (incident.kind !== 'flapping' || decision.decision === 'open'))
    incident.flappingAt.push(now);
  incident.kind = kind;
  for (const { subject } of decision.joined) {
    incident.members.add(subject.alias);
    incident.joinedAt.set(subject.alias, now);
  }
  for (const merged of decision.merge) endByMerging(world, group, merged.incident, incident.id, now);
}

function endByMerging(world: ReplayWorld, group: PlayedGroup, id: string, into: string, now: number): void {
  const merged = world.incidents.get(id);
  if (merged === undefined) return;
  merged.resolvedAt = now;
  merged.mergedInto = into;
  if (group.open === merged) group.open = null;
}

/** A beginning that nothing joined is none. */
function dropEmptyMass(world: ReplayWorld, source: PlayedSourceGroup, now: number): void {
  if (source.mass === null || source.mass.members.size > 0 || source.mass.openedAt !== now) return;
  world.incidents.delete(source.mass.id);
  source.mass = null;
}

function open(
  world: ReplayWorld,
  what: Pick<PlayedIncident, 'kind' | 'group' | 'since' | 'policy'>,
  now: number,
): PlayedIncident {
  const id = `replay_${world.incidents.size + 1}`;
  const ended = { resolvedAt: null, mergedInto: null, backAt: null };
  const incident = {
    id,
    ...what,
    openedAt: now,
    reopenedAt: [],
    flappingAt: [],
    members: new Set<string>(),
    joinedAt: new Map(),
    ...ended,
  };
  world.incidents.set(id, incident);
  return incident;
}

function reopen(world: ReplayWorld, id: string, now: number): PlayedIncident | null {
  const incident = world.incidents.get(id);
  if (incident === undefined) return null;
  incident.resolvedAt = null;
  incident.backAt = null;
  incident.reopenedAt.push(now);
  return incident;
}
