import type { GateReason, GateState } from '@tidegate/core';
import type { Sql } from '../database/connect.ts';
import { toStoreError } from '../database/store-error.ts';
import { receiversHeardUntil } from '../receiver/receivers-heard.ts';

export interface GateRow {
  readonly service: string;
  readonly state: GateState;
  readonly reason: GateReason;
  readonly generation: number;
  readonly since: Date;
  /** Postgres' clock when the row was read. */
  readonly readAt: Date;
  /** When the first registered receiver counts as silent, by the same clock; null when none is registered. */
  readonly heardUntil: Date | null;
  /** The open incident that names this service, if any. */
  readonly incident: string | null;
}

/**
 * Gates of the named services (all when null), read now; a service that is not registered is absent.
 * @param silentAfterMs how long a registered receiver may be silent before every gate is held
 */
export async function readGates(
  sql: Sql,
  services: readonly string[] | null,
  silentAfterMs: number,
): Promise<GateRow[]> {
  try {
    return await sql<GateRow[]>`
      select s.name as service, g.state, g.reason, g.generation, g.since, clock_timestamp() as read_at,
        ${receiversHeardUntil(sql, silentAfterMs)} as heard_until,
        (select i.id from incident_service x join incident i on i.id = x.incident_id
          where x.service_id = s.id and i.state <> 'resolved' order by i.opened_at limit 1) as incident
      from service s join gate g on g.service_id = s.id
      where s.retired_at is null ${services === null ? sql`` : sql`and s.name = any(${[...services]}::text[])`}
      order by s.name`;
  } catch (error) {
    throw toStoreError(error);
  }
}
