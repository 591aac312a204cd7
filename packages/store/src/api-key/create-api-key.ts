import type { Sql } from '../database/connect.ts';
import { toStoreError } from '../database/store-error.ts';

export interface NewApiKey {
  readonly id: string;
  readonly name: string;
  readonly lookupHash: Buffer;
  readonly scopes: readonly string[];
  readonly services: readonly string[] | null;
  readonly expiresAt: Date | null;
}

/** Registers a key by its keyed hash; the key itself is never stored. Registering the same key again changes nothing. */
export async function createApiKey(sql: Sql, key: NewApiKey): Promise<void> {
  try {
    await sql`
      insert into api_key (id, name, lookup_hash, scopes, services, expires_at)
      values (${key.id}, ${key.name}, ${key.lookupHash}, ${[...key.scopes]}::text[], ${key.services === null ? null : [...key.services]}::text[],
              ${key.expiresAt})
      on conflict (lookup_hash) do nothing`;
  } catch (error) {
    throw toStoreError(error);
  }
}
