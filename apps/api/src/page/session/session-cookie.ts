import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import type { ApiEnv } from '../../api-context.ts';

const NAME = 'tidegate_session';
const TOKEN = /^[a-z2-7]{40}$/;

/** What the browser presents, if it has the form of a session; the one that only https can have set comes first. */
export function readSessionCookie(c: Context<ApiEnv>): string | null {
  const token = getCookie(c, NAME, 'host') ?? getCookie(c, NAME);
  return token !== undefined && TOKEN.test(token) ? token : null;
}

/** Keeps a session in the browser: out of reach of scripts, and never sent along by other sites. */
export function setSessionCookie(
  c: Context<ApiEnv>,
  token: string,
  { longestMs }: { readonly longestMs: number },
): void {
  const options = { httpOnly: true, sameSite: 'Strict', path: '/', maxAge: Math.floor(longestMs / 1000) } as const;
  if (isSecure(c)) setCookie(c, NAME, token, { ...options, secure: true, prefix: 'host' });
  else setCookie(c, NAME, token, options);
}

export function clearSessionCookie(c: Context<ApiEnv>): void {
  deleteCookie(c, NAME, { path: '/' });
  deleteCookie(c, NAME, { path: '/', secure: true, prefix: 'host' });
}

/** The browser says in Origin how it reached us, whatever stands between; without https a Secure cookie would be refused. */
function isSecure(c: Context<ApiEnv>): boolean {
  return c.req.header('origin')?.startsWith('https://') ?? false;
}
