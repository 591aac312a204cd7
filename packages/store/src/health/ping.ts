import type { Sql } from '../database/connect.ts';
import { toStoreError } from '../database/store-error.ts';

/** Succeeds when the database answers and accepts writes: a replica would answer gates from the past. */
export async function ping(sql: Sql): Promise<void> {
  try {
    const [row] = await sql<{ replica: boolean }[]>`select pg_is_in_recovery() as replica`;
    if (row?.replica) throw Object.assign(new Error('replica'), { code: '08000' });
  } catch (error) {
    throw toStoreError(error);
  }
}
