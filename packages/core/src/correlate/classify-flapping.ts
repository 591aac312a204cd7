import type { Policy } from '../model/policy.ts';

/** One subject's transition times in epoch ms, in any order; `findTransitions` makes them. */
export interface SubjectTransitions {
  readonly alias: string;
  readonly at: readonly number[];
}

export interface FlappingClass {
  readonly flapping: boolean;
  /** The group's count: transitions of its worst subject inside the window. */
  readonly transitions: number;
  /** Aliases of the subjects that reached `opensAt` in the window, sorted; may be empty while a group settles. */
  readonly subjects: readonly string[];
  /** Epoch ms at which the group settles if nothing else happens; null when it does not flap. */
  readonly settleDueAt: number | null;
}

/**
 * Whether a group flaps: from `opensAt` transitions of one subject within `windowMs` up to `now`, until no subject has
 * more than `settlesAt`. `wasFlapping` says which of the two thresholds applies; a `settlesAt` not below `opensAt` (at
 * least 1) counts as one below it. Source of the rule: DESIGN §5.
 */
export function classifyFlapping(
  subjects: readonly SubjectTransitions[],
  flap: Policy['flap'],
  wasFlapping: boolean,
  now: number,
): FlappingClass {
  const counted = subjects.map(({ alias, at }) => ({ alias, recent: at.filter((time) => time > now - flap.windowMs) }));
  const transitions = Math.max(0, ...counted.map(({ recent }) => recent.length));
  const restless = counted.filter(({ recent }) => recent.length >= flap.opensAt).map(({ alias }) => alias);
  const calm = Math.min(flap.settlesAt, flap.opensAt - 1);
  const flapping = wasFlapping ? transitions > calm : restless.length > 0;
  const settleDueAt = flapping ? Math.max(...counted.map(({ recent }) => calmAt(recent, calm) + flap.windowMs)) : null;
  return { flapping, transitions, subjects: restless.sort(), settleDueAt };
}

/** The transition that must leave the window for a subject's count to fall to `calm`: the one before its newest ones. */
function calmAt(recent: readonly number[], calm: number): number {
  return [...recent].sort((a, b) => b - a)[calm] ?? Number.NEGATIVE_INFINITY;
}
