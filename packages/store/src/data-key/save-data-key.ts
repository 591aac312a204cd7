import type { Sql } from '../database/connect.ts';
import { toStoreError } from '../database/store-error.ts';

export interface DataKeyRow {
  readonly id: string;
  readonly wrapped: Buffer;
  readonly recipientKeyId: string;
}

/** Stores a wrapped data key; it must be there before any value sealed under it is. */
export async function saveDataKey(sql: Sql, row: DataKeyRow): Promise<void> {
  try {
    await sql`insert into data_key (id, wrapped, recipient_key_id) values (${row.id}, ${row.wrapped}, ${row.recipientKeyId})
              on conflict (id) do nothing`;
  } catch (error) {
    throw toStoreError(error);
  }
}
