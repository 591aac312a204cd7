import type { Sql } from '../database/connect.ts';
import { toStoreError } from '../database/store-error.ts';

export interface ApiKeyRow {
  readonly id: string;
  readonly name: string;
  readonly scopes: string[];
  readonly services: string[] | null;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
}

/** The live key with this keyed hash; null when unknown, expired or revoked. */
export async function findApiKey(sql: Sql, lookupHash: Buffer): Promise<ApiKeyRow | null> {
  try {
    const [row] = await sql<ApiKeyRow[]>`
      select id, name, scopes, services, created_at, expires_at, revoked_at from api_key
      where lookup_hash = ${lookupHash} and revoked_at is null and (expires_at is null or expires_at > clock_timestamp())`;
    return row ?? null;
  } catch (error) {
    throw toStoreError(error);
  }
}
