import type { EventRow } from '@tidegate/store';
import { ABOUT_THE_WHOLE } from '../incident/limit-incident.ts';

/**
 * What a key that is limited to `visible` (null: not limited) sees of an event: all of it, without the services that are not its
 * own, or nothing. Of an incident that concerns others too it sees what happens to the incident as a whole.
 */
export function limitEvent(row: EventRow, visible: readonly string[] | null): EventRow | null {
  if (visible === null) return row;
  const services = row.services.filter((service) => visible.includes(service));
  if (services.length === 0) return null;
  const whole = row.service !== null || services.length === row.services.length;
  return whole || ABOUT_THE_WHOLE.has(row.event) ? { ...row, services } : null;
}
