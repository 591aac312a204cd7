import type { Sql } from '../database/connect.ts';
import { toStoreError } from '../database/store-error.ts';

/**
 * The row id of the newest token that no device is linked to; null when every token is linked. It grows only when a token
 * nobody has seen reports, which is the moment to ask API v2 for its name.
 */
export async function newestUnlinkedDevice(sql: Sql): Promise<number | null> {
  try {
    const [row] = await sql<
      { id: number | null }[]
    >`select max(id) as id from subject where type = 'device' and linked_at is null`;
    return row?.id ?? null;
  } catch (error) {
    throw toStoreError(error);
  }
}
