import type { Scope } from '@tidegate/client';
import type { MiddlewareHandler } from 'hono';
import { problem } from '../answer/problem.ts';
import type { ApiEnv } from '../api-context.ts';
import type { KeyFinder } from './key-finder.ts';
import { parseBearerKey } from './parse-bearer-key.ts';

/**
 * Lets a request through whose key is live and has one of the scopes (`admin` has all), and notes which services it is
 * limited to.
 */
export function requireScope(keys: KeyFinder, ...scopes: [Scope, ...Scope[]]): MiddlewareHandler<ApiEnv> {
  const enough: ReadonlySet<string> = new Set([...scopes, 'admin']);
  return async (c, next) => {
    const header = c.req.header('authorization');
    const presented = parseBearerKey(header);
    const key = presented === null ? null : await keys.find(presented);
    if (key === null) return unauthorized(header !== undefined);
    if (!key.scopes.some((scope) => enough.has(scope))) return scopeMissing(scopes);
    c.set('services', key.services);
    c.set('key', { id: key.id, name: key.name });
    return next();
  };
}

function unauthorized(presented: boolean): Response {
  const challenge = presented ? 'Bearer realm="tidegate", error="invalid_token"' : 'Bearer realm="tidegate"';
  return problem(
    {
      status: 401,
      code: presented ? 'key_refused' : 'key_missing',
      detail: presented
        ? 'The API key is not one of this Tidegate, has expired or was revoked.'
        : 'An API key is needed, as Authorization: Bearer tdg_…',
    },
    { 'www-authenticate': challenge },
  );
}

function scopeMissing(scopes: readonly [Scope, ...Scope[]]): Response {
  const [scope] = scopes;
  return problem(
    { status: 403, code: 'scope_missing', detail: `The API key lacks the scope ${scopes.join(' or ')}.`, scope },
    { 'www-authenticate': `Bearer realm="tidegate", error="insufficient_scope", scope="${scope}"` },
  );
}
