import type { Sql } from '../database/connect.ts';
import { toStoreError } from '../database/store-error.ts';

/**
 * The source groups a poll is about, by name: those of live sources, whoever added them, and those that have an open
 * incident: without a service only a poll can end one, also after its source was taken away.
 */
export async function listPolledGroups(sql: Sql): Promise<string[]> {
  try {
    const rows = await sql<{ name: string }[]>`
      select group_name as name from source where retired_at is null
      union select coalesce(i.mass_group, g.group_name) from incident i left join subject g on g.id = i.group_id where i.state <> 'resolved'
      order by 1`;
    return rows.map(({ name }) => name);
  } catch (error) {
    throw toStoreError(error);
  }
}
