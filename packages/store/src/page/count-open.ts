import type { CallbackState } from '@tidegate/core';
import type { Sql } from '../database/connect.ts';
import { toStoreError } from '../database/store-error.ts';
import { namesOneOf } from '../incident/list-incidents.ts';

/** Callbacks of one service that are not at their end, by state. */
export interface WaitingCallbacks {
  readonly service: string;
  readonly state: CallbackState;
  readonly count: number;
}

/** How many incidents are open and how many of those nobody has acknowledged; of `services` (null: all). */
export async function countOpenIncidents(
  sql: Sql,
  services: readonly string[] | null,
): Promise<{ readonly open: number; readonly unacknowledged: number }> {
  try {
    const [row] = await sql<{ open: number; unacknowledged: number }[]>`
      select count(*)::int as open, count(*) filter (where i.state = 'open')::int as unacknowledged from incident i
      where i.state <> 'resolved' and i.merged_into is null
        ${services === null ? sql`` : sql`and ${namesOneOf(sql, services)}`}`;
    return row ?? { open: 0, unacknowledged: 0 };
  } catch (error) {
    throw toStoreError(error);
  }
}

/** What waits to be sent, or for a person, by service and state; of `services` (null: all). */
export async function countWaitingCallbacks(sql: Sql, services: readonly string[] | null): Promise<WaitingCallbacks[]> {
  try {
    return await sql<WaitingCallbacks[]>`
      select s.name as service, c.state, count(*)::int as count from callback c join service s on s.id = c.service_id
      where c.finished_at is null ${services === null ? sql`` : sql`and s.name = any(${[...services]}::text[])`}
      group by s.name, c.state order by s.name, c.state`;
  } catch (error) {
    throw toStoreError(error);
  }
}
