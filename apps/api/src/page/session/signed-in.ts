import type { Context, MiddlewareHandler } from 'hono';
import type { ApiEnv } from '../../api-context.ts';
import { answerNothing, answerPage, goTo } from '../layout/answer-page.tsx';
import { answerError } from '../layout/error-page.tsx';
import { mayEnter, type Section } from '../layout/sections.ts';
import { isOwnOrigin } from './check-origin.ts';
import { readNextPath } from './next-path.ts';
import { readSessionCookie } from './session-cookie.ts';
import type { Sessions } from './sessions.ts';
import { viewerOf } from './viewer.ts';

/** Sent by the script when it refreshes a page by itself: that keeps no session alive, and is not led to a sign-in. */
const REFRESH_HEADER = 'x-page-refresh';

/** Lets through who is signed in with a key that may enter the section; a form has to come from one of our pages as well. */
export function signedIn(sessions: Sessions, section: Section): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    const refused = await enter(c, sessions);
    if (refused !== null) return refused;
    if (!mayEnter(viewerOf(c), section)) return answerError(c, 403, forbidden(section));
    return next();
  };
}

/**
 * Notes whose session it is, or answers why nothing is shown.
 * @param byItself whether the script asks, and no person
 */
export async function enter(
  c: Context<ApiEnv>,
  sessions: Sessions,
  byItself = c.req.header(REFRESH_HEADER) !== undefined,
): Promise<Response | null> {
  const isForm = c.req.method === 'POST';
  if (isForm && !isFromOurPage(c)) return answerError(c, 403, FOREIGN_FORM);
  const token = readSessionCookie(c);
  const key = token === null ? null : await sessions.find(token, !byItself);
  if (key !== null) {
    c.set('scopes', key.scopes);
    c.set('services', key.services);
    c.set('key', { id: key.id, name: key.name });
    return null;
  }
  if (byItself) return answerNothing(401);
  const { pathname, search } = new URL(c.req.url);
  // After a form the page it stood on is what can be shown again.
  const path = readNextPath(isForm ? pathname.split('/').slice(0, 3).join('/') : `${pathname}${search}`);
  if (token === null && isLedHere(c)) return answerPage(c, { title: 'One moment', viewer: null, goTo: path }, null);
  const query = new URLSearchParams();
  // Whoever was signed in is told why that is over.
  if (token !== null) query.set('ended', '1');
  if (path !== '/') query.set('next', path);
  return goTo(c, query.size === 0 ? '/sign-in' : `/sign-in?${query}`);
}

export function isFromOurPage(c: Context<ApiEnv>): boolean {
  const { req } = c;
  return isOwnOrigin({
    origin: req.header('origin'),
    host: req.header('host'),
    fetchSite: req.header('sec-fetch-site'),
  });
}

/** A link in a chat or a pager leads here without the cookie, which is for our own pages only: so the page asks once more itself. */
function isLedHere(c: Context<ApiEnv>): boolean {
  return c.req.header('sec-fetch-site') === 'cross-site' && c.req.header('sec-fetch-mode') === 'navigate';
}

export const FOREIGN_FORM = {
  title: 'This form was not one of ours',
  text: 'It came from another site, or from a page that was opened elsewhere. Nothing was done. Open the page again and repeat it there.',
};

function forbidden({ label, scopes }: Section) {
  const text =
    scopes.length === 0
      ? 'Your API key does not allow this.'
      : `Your API key would need ${scopes.join(' or ')} for it.`;
  return { title: `${label} is not open to you`, text: `${text} Sign in with another key, or ask whoever made yours.` };
}
