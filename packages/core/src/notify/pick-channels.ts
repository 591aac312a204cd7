import type { Severity } from '../model/notification.ts';
import { isWithin, type TimeWindow } from './is-within.ts';

/** Who is told of what, and when. A notification goes to the channels of every route that it fits. */
export interface Route {
  readonly channels: readonly string[];
  readonly severities: readonly Severity[];
  /** Names of services, one of which must be concerned; null for all, and for what no service depends on. */
  readonly services: readonly string[] | null;
  /** Null for always. */
  readonly during: readonly TimeWindow[] | null;
}

export interface PickedChannels {
  readonly now: ReadonlySet<string>;
  /** Those that a route would name at another time of the week. */
  readonly later: ReadonlySet<string>;
}

/** The channels that are told of something of this severity and these services at an instant (epoch ms). */
export function pickChannels(
  routes: readonly Route[],
  about: { readonly severity: Severity; readonly services: readonly string[] },
  nowMs: number,
): PickedChannels {
  const now = new Set<string>();
  const later = new Set<string>();
  for (const { channels, severities, services, during } of routes) {
    const concerned = services === null || about.services.some((service) => services.includes(service));
    if (!concerned || !severities.includes(about.severity)) continue;
    const open = during === null || during.some((window) => isWithin(window, nowMs));
    for (const channel of channels) (open ? now : later).add(channel);
  }
  for (const channel of now) later.delete(channel);
  return { now, later };
}
