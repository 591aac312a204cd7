import type { Sql } from '../database/connect.ts';
import { toStoreError } from '../database/store-error.ts';
import type { ApiKeyRow } from './find-api-key.ts';

/** Every key ever made, newest first; never the key itself. */
export async function listApiKeys(sql: Sql): Promise<ApiKeyRow[]> {
  try {
    return await sql<ApiKeyRow[]>`
      select id, name, scopes, services, created_at, expires_at, revoked_at from api_key order by created_at desc, id`;
  } catch (error) {
    throw toStoreError(error);
  }
}

/** @returns false when no live key has this id */
export async function revokeApiKey(sql: Sql, id: string): Promise<boolean> {
  try {
    const result = await sql`update api_key set revoked_at = clock_timestamp() where id = ${id} and revoked_at is null`;
    return result.count > 0;
  } catch (error) {
    throw toStoreError(error);
  }
}
