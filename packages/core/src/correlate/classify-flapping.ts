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
  /** Aliases of the subjects that make the group flap, sorted; empty when it does not. */
  readonly subjects: readonly string[];
  /** Epoch ms at which the group settles if nothing else happens; null when it does not flap. */
  readonly settleDueAt: number | null;
}

/**
 * Whether a group flaps: from `opensAt` transitions of one subject within `windowMs` up to `now`, until no subject has
 * more than `settlesAt`. `wasFlapping` says which of the two thresholds applies. Source of the rule: DESIGN §5.
 */
export function classifyFlapping(
  subjects: readonly SubjectTransitions[],
  flap: Policy['flap'],
  wasFlapping: boolean,
  now: number,
): FlappingClass {
  const threshold = wasFlapping ? flap.settlesAt + 1 : flap.opensAt;
  const counted = subjects.map(({ alias, at }) => ({ alias, recent: at.filter((time) => time > now - flap.windowMs) }));
  const transitions = Math.max(0, ...counted.map(({ recent }) => recent.length));
  const restless = counted.filter(({ recent }) => recent.length >= threshold && recent.length > 0);
  if (restless.length === 0) return { flapping: false, transitions, subjects: [], settleDueAt: null };
  const settleDueAt = Math.max(...counted.map(({ recent }) => settlesAt(recent, flap)));
  return { flapping: true, transitions, subjects: restless.map(({ alias }) => alias).sort(), settleDueAt };
}

/**
 * When a subject's count falls to `settlesAt`: as the transition before its `settlesAt` newest ones leaves the window.
 */
function settlesAt(recent: readonly number[], flap: Policy['flap']): number {
  const newestFirst = [...recent].sort((a, b) => b - a);
  const last = newestFirst[flap.settlesAt];
  return last === undefined ? Number.NEGATIVE_INFINITY : last + flap.windowMs;
}
