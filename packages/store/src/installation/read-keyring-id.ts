import type { Sql } from '../database/connect.ts';
import { toStoreError } from '../database/store-error.ts';

/** The keyring that the database belongs to; null before any process has claimed it, or before any migration. */
export async function readKeyringId(sql: Sql): Promise<string | null> {
  try {
    const [table] = await sql<{ present: boolean }[]>`select to_regclass('installation') is not null as present`;
    if (!table?.present) return null;
    const [row] = await sql<{ keyringId: string }[]>`select keyring_id from installation`;
    return row?.keyringId ?? null;
  } catch (error) {
    throw toStoreError(error);
  }
}
