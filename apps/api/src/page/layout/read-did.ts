import type { Context } from 'hono';
import type { ApiEnv } from '../../api-context.ts';

/** What the form before led to. Only our own forms lead to a page with it: in a link from elsewhere it would be a lie. */
export function readDid(c: Context<ApiEnv>): string | undefined {
  const site = c.req.header('sec-fetch-site');
  return site === undefined || site === 'same-origin' ? c.req.query('did') : undefined;
}
