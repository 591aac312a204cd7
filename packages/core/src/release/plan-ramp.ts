import type { DestinationHealth } from './weigh-destination.ts';

/** How fast one service may send to one destination, as stored. */
export interface Ramp {
  /** The gate's generation under which it grew; under another one it begins anew. */
  readonly generation: number;
  /** How many may be under way at once. */
  readonly window: number;
  /** When the present second began, epoch ms, and how many began in it. */
  readonly secondAtMs: number;
  readonly used: number;
}

export interface RampPolicy {
  readonly canary: number;
  readonly maxPerSecond: number;
}

export interface RampFacts {
  /** The gate's generation now. */
  readonly generation: number;
  /** The gate lets out what it held. Once it is simply open there is no ramp, only the cap. */
  readonly releasing: boolean;
  /** Attempts under way that began under this generation. */
  readonly inFlight: number;
  readonly nowMs: number;
}

export interface RampPlan {
  readonly ramp: Ramp;
  /** How many may begin now. */
  readonly grant: number;
}

const SECOND_MS = 1000;

/**
 * How many callbacks of one service may begin now at one destination. While the gate releases: the canary first, and no other
 * until it is answered; then as many at once as `settleRamp` has let the window grow to. Never more than `maxPerSecond` in a
 * second. A generation that was raised stops the ramp and begins it anew. Source of the rule: DESIGN §8.
 */
export function planRamp(stored: Ramp | null, facts: RampFacts, policy: RampPolicy): RampPlan {
  const same = stored !== null && stored.generation === facts.generation;
  const window = Math.min(same ? stored.window : policy.canary, policy.maxPerSecond);
  const ageMs = stored === null ? SECOND_MS : facts.nowMs - stored.secondAtMs;
  const inSecond = ageMs >= 0 && ageMs < SECOND_MS;
  // What began in this second counts under any generation: a gate that flaps does not raise the rate.
  const used = inSecond && stored !== null ? stored.used : 0;
  const secondAtMs = inSecond && stored !== null ? stored.secondAtMs : facts.nowMs;
  const room = facts.releasing ? window - facts.inFlight : policy.maxPerSecond;
  const grant = Math.max(0, Math.min(room, policy.maxPerSecond - used));
  return { ramp: { generation: facts.generation, window, secondAtMs, used }, grant };
}

/** The ramp after `count` attempts of a grant have begun. */
export function useGrant(ramp: Ramp, count: number): Ramp {
  return { ...ramp, used: ramp.used + count };
}

/**
 * The ramp after an attempt that began under its generation. Each answer lets one more be under way, so that a round of
 * answers doubles the window, up to the cap; a destination that fails or asks for less is back to the canary.
 */
export function settleRamp(ramp: Ramp, health: DestinationHealth, policy: RampPolicy): Ramp {
  switch (health) {
    case 'healthy':
      return { ...ramp, window: Math.min(ramp.window + 1, Math.max(policy.canary, policy.maxPerSecond)) };
    case 'busy':
    case 'failing':
      return { ...ramp, window: policy.canary };
    case 'none':
      return ramp;
  }
}
