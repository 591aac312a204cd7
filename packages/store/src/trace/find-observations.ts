import type { Sql } from '../database/connect.ts';
import { toStoreError } from '../database/store-error.ts';

/** The newest observation about something: what set off that it was looked at. */
export interface FoundObservation {
  /** Its key; `observationId` of core makes its public id. */
  readonly key: string;
  readonly receivedAt: Date;
  /** Of the callback that was asked about, else null. */
  readonly service: string | null;
}

/**
 * The newest observation about the device and the tunnel of each service, about each group's device and its tunnels, or about
 * the service of each callback; nothing for those that nobody has spoken of.
 * @param names names of services, aliases of groups, or ids of callbacks
 */
export async function findObservations(
  sql: Sql,
  by: 'service' | 'group' | 'callback',
  names: readonly string[],
): Promise<Map<string, FoundObservation>> {
  try {
    const rows = await sql<(FoundObservation & { asked: string })[]>`
      with asked as (${askedBy(sql, by, [...names])})
      select a.asked, a.service, o.key, o.first_received_at as received_at from asked a cross join lateral (
        select key, first_received_at from observation where subject_id = any(a.subjects) order by first_received_at desc limit 1) o`;
    return new Map(rows.map(({ asked, ...found }) => [asked, found]));
  } catch (error) {
    throw toStoreError(error);
  }
}

function askedBy(sql: Sql, by: 'service' | 'group' | 'callback', names: string[]) {
  const ofService = sql`array_remove(array[s.device_id, s.tunnel_id, (select t.device_id from subject t where t.id = s.tunnel_id)], null)`;
  switch (by) {
    case 'service':
      return sql`select s.name as asked, null::text as service, ${ofService} as subjects from service s where s.name = any(${names}::text[])`;
    case 'callback':
      return sql`select c.id as asked, s.name as service, ${ofService} as subjects from callback c join service s on s.id = c.service_id where c.id = any(${names}::text[])`;
    case 'group':
      return sql`select g.alias as asked, null::text as service,
        array(select x.id from subject x where x.id = g.id or x.device_id = g.id) as subjects from subject g where g.alias = any(${names}::text[])`;
  }
}
