import { isMass } from '../correlate/decide-mass.ts';
import { groupKey } from '../correlate/group-key.ts';
import type { ReplaySubject } from './replay-model.ts';
import { membersOf, type PlayedIncident, type PlayedSourceGroup, type ReplayWorld } from './replay-world.ts';

/**
 * Ends what is over at `now`. Outcomes of verifications are stored, but not what they would have been under another
 * policy; so they are assumed to pass, `verify.passes` times, from the moment on at which everything that services depend
 * on is connected again (everything at all, where no service depends on any of it).
 */
export function endIncidents(world: ReplayWorld, now: number): void {
  for (const source of world.sourceGroups) {
    if (source.mass !== null) {
      const over = isOver(world, source.mass, [], now) || (settlesAt(world, source) ?? now + 1) <= now;
      if (over && !isStillMass(world, source)) endMass(world, source, now);
    }
    const changed = source.busy.takeChanged();
    for (const group of source.busy.list()) {
      // Only what is reported or decided brings an end closer; else it comes when it was due.
      if (group.open === null || !(changed.has(group) || (endsAt(group.open) ?? now + 1) <= now)) continue;
      if (!isOver(world, group.open, group.members, now)) continue;
      group.lastResolved = resolve(world, group.open, now);
      group.open = null;
    }
  }
}

/** When an incident would end if nothing more were reported; null while it would not. */
export function endsAt({ backAt, policy: { verify } }: PlayedIncident): number | null {
  return backAt === null ? null : backAt + (verify.passes - 1) * verify.everyMs;
}

/** What went down meanwhile in the incident's group counts before it is joined: the layers are verified as they are then. */
function isOver(world: ReplayWorld, incident: PlayedIncident, group: readonly ReplaySubject[], now: number): boolean {
  const members = [...new Set([...incident.members, ...group.map(({ alias }) => alias)])];
  const served = members.filter((alias) => (world.subjects.get(alias)?.policies.length ?? 0) > 0);
  const awaited = served.length > 0 ? served : members;
  const back = incident.kind !== 'flapping' && awaited.every((alias) => world.states.isBack(alias));
  incident.backAt = back ? (incident.backAt ?? now) : null;
  const end = endsAt(incident);
  return end !== null && end <= now;
}

/**
 * When a mass outage ends without its stragglers: nothing of it has moved for `reopenWithin`, and something that a service
 * depends on is back, whose next verification is the evidence. Null while it would not.
 */
export function settlesAt(world: ReplayWorld, { mass, policy }: PlayedSourceGroup): number | null {
  if (mass === null) return null;
  const served = [...mass.members].filter((alias) => (world.subjects.get(alias)?.policies.length ?? 0) > 0);
  if (!served.some((alias) => world.states.isBack(alias))) return null;
  const moved = [...mass.members].map((alias) =>
    Math.max(mass.joinedAt.get(alias) ?? 0, world.states.lastObserved(alias)),
  );
  return Math.max(...moved) + policy.reopenWithinMs;
}

/** Whether what has been down ever since it joined a mass outage would be one by itself. */
export function isStillMass(world: ReplayWorld, source: PlayedSourceGroup): boolean {
  const { mass } = world.rules;
  if (mass === null || source.mass === null) return false;
  const down = new Set<string>();
  for (const alias of source.mass.members) {
    const subject = world.subjects.get(alias);
    const group = subject && world.groups.get(groupKey(subject));
    if (group?.subject.type !== 'device' || !world.states.isDown(alias)) continue;
    if (!world.states.wasUpSince(alias, source.mass.joinedAt.get(alias))) down.add(group.alias);
  }
  return isMass(down.size, source.knownDevices, mass);
}

/** What is still down when a mass outage ends is grouped anew, and told by itself. */
function endMass(world: ReplayWorld, source: PlayedSourceGroup, now: number): void {
  if (source.mass === null) return;
  const { members } = source.mass;
  source.lastMass = resolve(world, source.mass, now);
  source.mass = null;
  for (const group of source.groups) {
    const down = membersOf(world, group).some((member) => member.down && members.has(member.alias));
    if (!down) continue;
    group.pending ??= { firstAt: now, lastAt: now, n: 1, disconnects: 0 };
    source.busy.touch(group);
  }
}

function resolve(world: ReplayWorld, incident: PlayedIncident, now: number): { id: string; resolvedAt: number } {
  incident.resolvedAt = now;
  for (const alias of incident.members) if (world.states.isBack(alias)) world.states.clear(alias);
  return { id: incident.id, resolvedAt: now };
}
