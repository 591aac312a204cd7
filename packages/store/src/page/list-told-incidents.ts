import type { Sql } from '../database/connect.ts';
import { toStoreError } from '../database/store-error.ts';

/** Those of the incidents of which somebody was told, or may have been, since they (re)opened. */
export async function listToldIncidents(sql: Sql, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  try {
    const rows = await sql<{ id: string }[]>`
      select distinct i.id from incident i join notification n on n.thread = i.id and n.episode = i.reopened
      where i.id = any(${[...ids]}::text[]) and (n.reached or n.state in ('sending', 'sent'))`;
    return rows.map(({ id }) => id);
  } catch (error) {
    throw toStoreError(error);
  }
}
