import type { Scope } from '@tidegate/client';
import type { MiddlewareHandler } from 'hono';
import { problem } from '../answer/problem.ts';
import type { ApiEnv } from '../api-context.ts';
import type { KeyFinder } from './key-finder.ts';
import { parseBasicKey } from './parse-basic-key.ts';
import { parseBearerKey } from './parse-bearer-key.ts';

/** A way to present a key, and how it is asked for when it is missing or not good. */
interface Scheme {
  readonly parse: (header: string | undefined) => string | null;
  readonly how: string;
  readonly challenge: (error?: string) => string;
}

const BEARER: Scheme = {
  parse: parseBearerKey,
  how: 'An API key is needed, as Authorization: Bearer tdg_…',
  challenge: (error) => `Bearer realm="tidegate"${error === undefined ? '' : `, ${error}`}`,
};

const BASIC: Scheme = {
  parse: parseBasicKey,
  how: 'An API key is needed, as the password of HTTP Basic; the user name may be anything.',
  challenge: () => 'Basic realm="tidegate", charset="UTF-8"',
};

/**
 * Lets a request through whose key is live and has one of the scopes (`admin` has all), and notes which services it is
 * limited to.
 */
export function requireScope(keys: KeyFinder, ...scopes: [Scope, ...Scope[]]): MiddlewareHandler<ApiEnv> {
  return requireKey(keys, scopes, BEARER);
}

/** The same for feed readers, which know a name and a password only. */
export function requireFeedKey(keys: KeyFinder): MiddlewareHandler<ApiEnv> {
  return requireKey(keys, ['incidents:read'], BASIC);
}

function requireKey(keys: KeyFinder, scopes: [Scope, ...Scope[]], scheme: Scheme): MiddlewareHandler<ApiEnv> {
  const enough: ReadonlySet<string> = new Set([...scopes, 'admin']);
  return async (c, next) => {
    const header = c.req.header('authorization');
    const presented = scheme.parse(header);
    const key = presented === null ? null : await keys.find(presented);
    if (key === null) return unauthorized(header !== undefined, scheme);
    if (!key.scopes.some((scope) => enough.has(scope))) return scopeMissing(scopes, scheme);
    c.set('scopes', key.scopes);
    c.set('services', key.services);
    c.set('key', { id: key.id, name: key.name });
    return next();
  };
}

function unauthorized(presented: boolean, { how, challenge }: Scheme): Response {
  return problem(
    {
      status: 401,
      code: presented ? 'key_refused' : 'key_missing',
      detail: presented ? 'The API key is not one of this Tidegate, has expired or was revoked.' : how,
    },
    { 'www-authenticate': presented ? challenge('error="invalid_token"') : challenge() },
  );
}

function scopeMissing(scopes: readonly [Scope, ...Scope[]], { challenge }: Scheme): Response {
  const [scope] = scopes;
  return problem(
    { status: 403, code: 'scope_missing', detail: `The API key lacks the scope ${scopes.join(' or ')}.`, scope },
    { 'www-authenticate': challenge(`error="insufficient_scope", scope="${scope}"`) },
  );
}
