import { appendAudit } from '../audit/append-audit.ts';
import type { Sql } from '../database/connect.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { toStoreError } from '../database/store-error.ts';
import type { KeyActor } from './create-api-key.ts';
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

/**
 * Revokes a key, with an audit row for the person who does.
 * @returns false when no live key has this id
 */
export async function revokeApiKey(sql: Sql, id: string, by?: KeyActor): Promise<boolean> {
  return inTransaction(sql, async (tx) => {
    const [row] = await tx<{ name: string }[]>`
      update api_key set revoked_at = clock_timestamp() where id = ${id} and revoked_at is null returning name`;
    if (row === undefined) return false;
    const told = { action: 'key.revoke', target: id, reason: null, facts: { name: row.name } } as const;
    if (by !== undefined) await appendAudit(tx, { actor: by.actor, ...told }, by.sign);
    return true;
  });
}
