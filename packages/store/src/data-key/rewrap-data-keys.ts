import type { Sql } from '../database/connect.ts';
import { toStoreError } from '../database/store-error.ts';
import type { DataKeyRow } from './save-data-key.ts';

const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/** Data keys that are wrapped to another recipient than this one, by id, after an id (null: from the first on). */
export async function listForeignDataKeys(
  sql: Sql,
  recipientKeyId: string,
  afterId: string | null,
  limit: number,
): Promise<DataKeyRow[]> {
  try {
    return await sql<DataKeyRow[]>`
      select id, wrapped, recipient_key_id from data_key
      where recipient_key_id <> ${recipientKeyId} and id > ${afterId ?? BEFORE_ALL} order by id limit ${limit}`;
  } catch (error) {
    throw toStoreError(error);
  }
}

/**
 * Replaces how a data key is wrapped, unless somebody else has done so meanwhile.
 * @param before the wrapping that was unwrapped
 */
export async function replaceWrapping(sql: Sql, row: DataKeyRow, before: Buffer): Promise<void> {
  try {
    await sql`update data_key set wrapped = ${row.wrapped}, recipient_key_id = ${row.recipientKeyId}
              where id = ${row.id} and wrapped = ${before}`;
  } catch (error) {
    throw toStoreError(error);
  }
}

/** How many data keys are wrapped to each recipient. */
export async function countDataKeys(sql: Sql): Promise<{ recipientKeyId: string; count: number }[]> {
  try {
    return await sql<{ recipientKeyId: string; count: number }[]>`
      select recipient_key_id, count(*)::int as count from data_key group by recipient_key_id order by recipient_key_id`;
  } catch (error) {
    throw toStoreError(error);
  }
}
