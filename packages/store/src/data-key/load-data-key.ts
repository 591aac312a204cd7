import type { Sql } from '../database/connect.ts';
import { toStoreError } from '../database/store-error.ts';
import type { DataKeyRow } from './save-data-key.ts';

/** The wrapped data key of an id, or null. */
export async function loadDataKey(sql: Sql, id: string): Promise<DataKeyRow | null> {
  try {
    const [row] = await sql<DataKeyRow[]>`select id, wrapped, recipient_key_id from data_key where id = ${id}`;
    return row ?? null;
  } catch (error) {
    throw toStoreError(error);
  }
}
