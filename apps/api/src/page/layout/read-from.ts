import type { Context } from 'hono';
import type { ApiEnv } from '../../api-context.ts';

/** How many of a list to leave out before those to be shown; 0 for what is no number. */
export function readFrom(c: Context<ApiEnv>): number {
  return Number(/^\d{1,6}$/.exec(c.req.query('from') ?? '')?.[0] ?? 0);
}
