import type { Scope } from '@tidegate/client';
import type { MiddlewareHandler } from 'hono';
import { problem } from '../answer/problem.ts';
import type { ProblemCode } from '../answer/problem-codes.ts';
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

const FEED: Scheme = {
  parse: (header) => parseBasicKey(header) ?? parseBearerKey(header),
  how: 'An API key is needed, as the password of HTTP Basic (the user name may be anything) or as Authorization: Bearer tdg_…',
  // Basic comes first: a reader may know the first challenge only.
  challenge: () => 'Basic realm="tidegate", charset="UTF-8", Bearer realm="tidegate"',
};

const REFUSED = 'The API key is not one of this Tidegate, has expired or was revoked.';

/**
 * Lets a request through whose key is live and has one of the scopes (`admin` has all), and notes which services it is
 * limited to.
 */
export function requireScope(keys: KeyFinder, ...scopes: [Scope, ...Scope[]]): MiddlewareHandler<ApiEnv> {
  return requireKey(keys, scopes, BEARER);
}

/** The same for feeds: most readers know a name and a password only, everybody else sends what other paths take. */
export function requireFeedKey(keys: KeyFinder): MiddlewareHandler<ApiEnv> {
  return requireKey(keys, ['incidents:read'], FEED);
}

function requireKey(keys: KeyFinder, scopes: [Scope, ...Scope[]], scheme: Scheme): MiddlewareHandler<ApiEnv> {
  const enough: ReadonlySet<string> = new Set([...scopes, 'admin']);
  return async (c, next) => {
    const header = c.req.header('authorization');
    const presented = scheme.parse(header);
    const key = presented === null ? null : await keys.find(presented);
    if (header === undefined) return unauthorized('key_missing', scheme.how, scheme);
    if (presented === null)
      return unauthorized('key_refused', `This Authorization is not taken here. ${scheme.how}`, scheme);
    if (key === null) return unauthorized('key_refused', REFUSED, scheme);
    if (!key.scopes.some((scope) => enough.has(scope))) return scopeMissing(scopes, scheme);
    c.set('scopes', key.scopes);
    c.set('services', key.services);
    c.set('key', { id: key.id, name: key.name });
    return next();
  };
}

function unauthorized(code: ProblemCode<401>, detail: string, { challenge }: Scheme): Response {
  const how = code === 'key_missing' ? challenge() : challenge('error="invalid_token"');
  return problem({ status: 401, code, detail }, { 'www-authenticate': how });
}

function scopeMissing(scopes: readonly [Scope, ...Scope[]], { challenge }: Scheme): Response {
  const [scope] = scopes;
  return problem(
    { status: 403, code: 'scope_missing', detail: `The API key lacks the scope ${scopes.join(' or ')}.`, scope },
    { 'www-authenticate': challenge(`error="insufficient_scope", scope="${scope}"`) },
  );
}
