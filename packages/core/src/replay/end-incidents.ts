import { isMass } from '../correlate/decide-mass.ts';
import type { ReplaySubject } from './replay-model.ts';
import { membersOf, type PlayedIncident, type PlayedSourceGroup, type ReplayWorld } from './replay-world.ts';

/**
 * Ends what is over at `now`. Outcomes of verifications are stored, but not what they would have been under another
 * policy; so they are assumed to pass, `verify.passes` times, from the moment on at which everything that services depend
 * on is connected again (everything at all, where no service depends on any of it).
 */
export function endIncidents(world: ReplayWorld, now: number): void {
  for (const source of world.sourceGroups) {
    if (source.mass !== null && isOver(world, source.mass, [], now) && !isStillMass(world, source))
      endMass(world, source, now);
    for (const group of source.groups) {
      if (group.open === null || !isOver(world, group.open, group.members, now)) continue;
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

function isStillMass(world: ReplayWorld, source: PlayedSourceGroup): boolean {
  const { mass } = world.rules;
  if (mass === null || source.mass === null) return false;
  const devices = source.groups.filter(({ subject }) => subject.type === 'device');
  const down = devices.filter(({ members }) =>
    members.some(({ alias }) => source.mass?.members.has(alias) && world.states.isDown(alias)),
  );
  return isMass(down.length, devices.length, mass);
}

/** What is still down when a mass outage ends is grouped anew, and told by itself. */
function endMass(world: ReplayWorld, source: PlayedSourceGroup, now: number): void {
  if (source.mass === null) return;
  const { members } = source.mass;
  source.lastMass = resolve(world, source.mass, now);
  source.mass = null;
  for (const group of source.groups) {
    const down = membersOf(world, group).some((member) => member.down && members.has(member.alias));
    if (down) group.pending ??= { firstAt: now, lastAt: now, n: 1, disconnects: 0 };
  }
}

function resolve(world: ReplayWorld, incident: PlayedIncident, now: number): { id: string; resolvedAt: number } {
  incident.resolvedAt = now;
  for (const alias of incident.members) if (world.states.isBack(alias)) world.states.clear(alias);
  return { id: incident.id, resolvedAt: now };
}
