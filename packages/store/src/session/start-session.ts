import type { Sql } from '../database/connect.ts';
import { toStoreError } from '../database/store-error.ts';

export interface NewSession {
  /** Keyed hash of the cookie; the cookie itself is never stored. */
  readonly lookupHash: Buffer;
  /** Row id of the API key it was signed in with. */
  readonly keyId: string;
  /** Milliseconds after which it ends, whatever is done with it. */
  readonly longestMs: number;
}

/** Begins a session of the pages, by Postgres' clock. */
export async function startSession(sql: Sql, { lookupHash, keyId, longestMs }: NewSession): Promise<void> {
  try {
    await sql`
      insert into session (lookup_hash, key_id, created_at, seen_at, expires_at)
      select ${lookupHash}, ${keyId}, clock.now, clock.now, clock.now + make_interval(secs => ${longestMs}::float8 / 1000.0)
      from (select clock_timestamp() as now) clock`;
  } catch (error) {
    throw toStoreError(error);
  }
}

/** Ends a session; one that is over already stays so. */
export async function endSession(sql: Sql, lookupHash: Buffer): Promise<void> {
  try {
    await sql`delete from session where lookup_hash = ${lookupHash}`;
  } catch (error) {
    throw toStoreError(error);
  }
}
