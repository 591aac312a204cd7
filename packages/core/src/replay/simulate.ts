import { dueAt } from '../correlate/due-at.ts';
import { MASS_QUIET_MS } from '../correlate/mass-quiet-ms.ts';
import { endIncidents, endsAt, settlesAt } from './end-incidents.ts';
import { playMoment, ripenAfterMs } from './play-moment.ts';
import type { Replay, ReplayedIncident, ReplayHistory, ReplayObservation, ReplayRules } from './replay-model.ts';
import { createWorld, type PlayedIncident, type ReplayWorld, receive } from './replay-world.ts';

/**
 * Plays a history through the rules of record and correlate under given thresholds, with a simulated clock: what opens,
 * reopens, flaps, joins, is a blip, and when. A function of the sets of facts alone: what was received at one moment is
 * taken at once. It starts with nothing open, and no poll, hand, silence or override is part of it.
 */
export function simulate(history: ReplayHistory, rules: ReplayRules): Replay {
  const world = createWorld(history, rules);
  const moments = byReceipt(history.observations);
  let next = 0;
  let now = Number.NEGATIVE_INFINITY;
  for (;;) {
    const moment = moments[next];
    now = Math.min(moment?.at ?? Number.POSITIVE_INFINITY, nextAlarm(world, now));
    if (now > history.until || now === Number.POSITIVE_INFINITY) return toReplay(world);
    if (moment?.at === now) {
      receive(world, moment.observations, now);
      next += 1;
    }
    playMoment(world, now);
    endIncidents(world, now);
  }
}

function byReceipt(observations: readonly ReplayObservation[]): { at: number; observations: ReplayObservation[] }[] {
  const moments = new Map<number, ReplayObservation[]>();
  for (const observation of observations) {
    const own = moments.get(observation.receivedAt);
    if (own === undefined) moments.set(observation.receivedAt, [observation]);
    else own.push(observation);
  }
  return [...moments].map(([at, own]) => ({ at, observations: own })).sort((a, b) => a.at - b.at);
}

/** The next time at which anything could be decided although nothing is received; what was due before was decided. */
function nextAlarm(world: ReplayWorld, now: number): number {
  let earliest = Number.POSITIVE_INFINITY;
  const at = (time: number | null) => {
    if (time !== null && time > now && time < earliest) earliest = time;
  };
  for (const source of world.sourceGroups) {
    if (source.mass !== null) at(endsAt(source.mass));
    at(settlesAt(world, source));
    for (const { pending, lookAgainAt, open, policy } of source.busy.list()) {
      at(lookAgainAt);
      if (open !== null) at(endsAt(open));
      if (pending === null) continue;
      at(dueAt(pending, policy));
      if (world.rules.mass === null) continue;
      at(source.mass === null ? pending.firstAt + ripenAfterMs(source) : pending.lastAt + MASS_QUIET_MS);
    }
  }
  return earliest;
}

function toReplay({ incidents, blips }: ReplayWorld): Replay {
  const played = [...incidents.values()]
    .map(toIncident)
    .sort((a, b) => a.openedAt - b.openedAt || (a.group < b.group ? -1 : 1));
  return { incidents: played, blips, pages: played.reduce((sum, { reopenedAt }) => sum + 1 + reopenedAt.length, 0) };
}

function toIncident({ backAt: _, policy: __, joinedAt: ___, members, ...incident }: PlayedIncident): ReplayedIncident {
  return { ...incident, members: [...members].sort() };
}
