import type { MiddlewareHandler } from 'hono';
import { problem } from '../answer/problem.ts';
import type { ApiEnv } from '../api-context.ts';

/** For lists that are not kept by service: a key limited to some services may see none of them. */
export const refuseLimitedKey: MiddlewareHandler<ApiEnv> = async (c, next) => {
  if (c.get('services') === null) return next();
  return problem({
    status: 403,
    code: 'key_limited',
    detail: 'The API key is limited to some services, and this list is not kept by service.',
  });
};
