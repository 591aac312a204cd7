import type { ApiKeyRow } from '../api-key/find-api-key.ts';
import type { Sql } from '../database/connect.ts';
import { toStoreError } from '../database/store-error.ts';

/** Seen again within this long, a session is not written again. */
const SEEN_EVERY_MS = 60_000;

export interface SessionQuestion {
  /** Keyed hash of the cookie. */
  readonly lookupHash: Buffer;
  /** Milliseconds without a person after which it is over. */
  readonly idleMs: number;
  /** A person asks, so that the idle time begins anew. */
  readonly byPerson: boolean;
}

/**
 * The live API key behind a live session; null when there is none. A key that was revoked or has expired has no sessions.
 */
export async function findSession(
  sql: Sql,
  { lookupHash, idleMs, byPerson }: SessionQuestion,
): Promise<ApiKeyRow | null> {
  try {
    const [row] = await sql<(ApiKeyRow & { stale: boolean })[]>`
      select k.id, k.name, k.scopes, k.services, k.created_at, k.expires_at, k.revoked_at,
        x.seen_at < clock_timestamp() - make_interval(secs => ${SEEN_EVERY_MS}::float8 / 1000.0) as stale
      from session x join api_key k on k.id = x.key_id
      where x.lookup_hash = ${lookupHash} and x.expires_at > clock_timestamp()
        and x.seen_at > clock_timestamp() - make_interval(secs => ${idleMs}::float8 / 1000.0)
        and k.revoked_at is null and (k.expires_at is null or k.expires_at > clock_timestamp())`;
    if (row === undefined) return null;
    const { stale, ...key } = row;
    if (stale && byPerson) await sql`update session set seen_at = clock_timestamp() where lookup_hash = ${lookupHash}`;
    return key;
  } catch (error) {
    throw toStoreError(error);
  }
}
