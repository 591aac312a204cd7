import { pickChannels } from '@tidegate/core';
import type { Config } from '@tidegate/runtime';

const STEP_MS = 1_800_000;
const STEPS_PER_HOUR = 2;
export const HOURS_OF_WEEK = 168;

/** A service whose outage reaches nobody at some hours of a week; what goes on then is told when a window opens, if one does. */
export interface Untold {
  readonly service: string;
  readonly severity: Config['services'][number]['severity'];
  /** Of the 168; all of them means that nobody is ever told. */
  readonly hours: number;
}

/** The services of which nobody is told when they are cut off, by the routes of the week that follows an instant (epoch ms). */
export function findUntold({ notify, services }: Pick<Config, 'notify' | 'services'>, fromMs: number): Untold[] {
  if (notify.channels.length === 0) return [];
  const firstMs = Math.floor(fromMs / STEP_MS) * STEP_MS;
  const instants = Array.from({ length: HOURS_OF_WEEK * STEPS_PER_HOUR }, (_, step) => firstMs + step * STEP_MS);
  return services.flatMap(({ name, severity }) => {
    const about = { severity, services: [name] };
    const untold = instants.filter((atMs) => pickChannels(notify.routes, about, atMs).now.size === 0).length;
    return untold === 0 ? [] : [{ service: name, severity, hours: Math.ceil(untold / STEPS_PER_HOUR) }];
  });
}
