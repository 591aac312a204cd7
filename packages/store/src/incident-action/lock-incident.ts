import type { IncidentState, SafeName } from '@tidegate/core';
import type { Transaction } from '../database/connect.ts';

/** Who acts on an incident, and on which. Names and texts are sanitised by the caller. */
export interface IncidentOrder {
  readonly incident: string;
  readonly actor: SafeName;
  /** Row id of the API key that asked, for the trail; null for the command line. */
  readonly keyId: string | null;
  /** Names of the services the actor may act for; null means all. */
  readonly services: readonly string[] | null;
}

/** Why an order has no incident to act on. */
export type OutOfReach =
  | { readonly kind: 'not_found' }
  /** It concerns services the actor may not act for, too. */
  | { readonly kind: 'not_all_services' };

export interface LockedIncident {
  readonly id: string;
  readonly state: IncidentState;
  readonly groupId: number | null;
  readonly acknowledgedBy: string | null;
  readonly mergedInto: string | null;
}

export type FoundIncident = { readonly kind: 'found'; readonly incident: LockedIncident } | OutOfReach;

/** Locks an incident for an order. Who may act for some services only cannot act on what concerns others as well. */
export async function lockIncident(tx: Transaction, order: IncidentOrder): Promise<FoundIncident> {
  const [row] = await tx<(LockedIncident & { services: string[] })[]>`
    select i.id, i.state, i.group_id, i.acknowledged_by, i.merged_into,
      (select coalesce(array_agg(s.name), '{}') from incident_service x join service s on s.id = x.service_id
        where x.incident_id = i.id) as services
    from incident i where i.id = ${order.incident} for no key update`;
  if (row === undefined) return { kind: 'not_found' };
  const { services, ...incident } = row;
  const own = services.filter((name) => order.services === null || order.services.includes(name));
  if (order.services !== null && own.length === 0) return { kind: 'not_found' };
  return own.length === services.length ? { kind: 'found', incident } : { kind: 'not_all_services' };
}
