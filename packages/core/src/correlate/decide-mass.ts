import { isSameOutage } from './is-same-outage.ts';

/** Thresholds of `mass` in the config. */
export interface MassPolicy {
  readonly windowMs: number;
  readonly minDevices: number;
  /** Share of the source group's known devices, above 0 up to 1. */
  readonly fraction: number;
}

/** A device group that is down: the device itself, or some of its tunnels. */
export interface LostDevice {
  readonly alias: string;
  /** Epoch ms of the Disconnected that made it so. */
  readonly at: number;
}

/** Everything the decision about one source group may depend on. */
export interface MassFacts {
  /** Devices of the source group that can be lost: watched, and heard of lately or needed by a service. */
  readonly knownDevices: number;
  readonly lost: readonly LostDevice[];
  readonly policy: MassPolicy & { readonly reopenWithinMs: number };
  /** Epoch ms of the first unhandled Disconnected. */
  readonly firstAt: number;
  readonly lastResolved: { readonly id: string; readonly resolvedAt: number } | null;
}

export type MassDecision =
  | { readonly decision: 'none'; readonly reason: 'too_few' | 'not_together' }
  | ({ readonly decision: 'open' } & MassOutage)
  | ({ readonly decision: 'reopen'; readonly incident: string } & MassOutage);

interface MassOutage {
  /** Aliases of the devices lost within one window, sorted. */
  readonly devices: readonly string[];
  readonly knownDevices: number;
  readonly windowMs: number;
  /** Epoch ms of the first and the last of these losses. */
  readonly from: number;
  readonly to: number;
}

/**
 * Whether the devices that are down are one outage of the whole source group: at least `minDevices`, and at least
 * `fraction` of all that can be, lost within one window of `windowMs`. Independent of the order of facts. Source: DESIGN §5.
 */
export function decideMass({ knownDevices, lost, policy, firstAt, lastResolved }: MassFacts): MassDecision {
  if (!isMass(lost.length, knownDevices, policy)) return { decision: 'none', reason: 'too_few' };
  const together = fullestWindow(lost, policy.windowMs);
  if (!isMass(together.length, knownDevices, policy)) return { decision: 'none', reason: 'not_together' };
  const outage = {
    devices: together.map(({ alias }) => alias).sort(),
    knownDevices,
    windowMs: policy.windowMs,
    from: together[0]?.at ?? 0,
    to: together.at(-1)?.at ?? 0,
  };
  if (lastResolved !== null && isSameOutage(firstAt, lastResolved.resolvedAt, policy.reopenWithinMs)) {
    return { decision: 'reopen', incident: lastResolved.id, ...outage };
  }
  return { decision: 'open', ...outage };
}

/** Whether so many lost devices of so many known ones amount to a mass outage; it goes on while they do. */
export function isMass(lost: number, knownDevices: number, policy: MassPolicy): boolean {
  return lost > 0 && lost >= policy.minDevices && lost >= policy.fraction * knownDevices;
}

/** The most losses that lie within one window, its ends included; the earliest such window. */
function fullestWindow(lost: readonly LostDevice[], windowMs: number): readonly LostDevice[] {
  const sorted = [...lost].sort((a, b) => a.at - b.at || (a.alias < b.alias ? -1 : 1));
  let best = { from: 0, to: 0 };
  let from = 0;
  for (const [to, { at }] of sorted.entries()) {
    while ((sorted[from]?.at ?? at) < at - windowMs) from += 1;
    if (to + 1 - from > best.to - best.from) best = { from, to: to + 1 };
  }
  return sorted.slice(best.from, best.to);
}
