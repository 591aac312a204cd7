import type { Context } from 'hono';
import type { ApiEnv } from '../../api-context.ts';

/** The cursor of a list, or null for its beginning; one that is not of a cursor's form begins anew. */
export function readCursor(c: Context<ApiEnv>): string | null {
  const cursor = c.req.query('cursor');
  return cursor !== undefined && /^[A-Za-z0-9_-]{1,512}$/.test(cursor) ? cursor : null;
}
