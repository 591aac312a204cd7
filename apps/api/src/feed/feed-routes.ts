import { createHash } from 'node:crypto';
import { zValidator } from '@hono/zod-validator';
import type { Context, Hono } from 'hono';
import { ANSWER_HEADERS } from '../answer/answer.ts';
import type { ApiContext, ApiEnv } from '../api-context.ts';
import { requireFeedKey } from '../auth/require-scope.ts';
import { matchesTag } from '../gate/gate-tag.ts';
import { onInvalidQuery } from '../query/on-invalid-query.ts';
import { noQuery } from '../query/page-query.ts';
import { FEED_PATHS, type FeedContent, toFeedContent } from './feed-entry.ts';
import { writeAtom } from './write-atom.ts';
import { writeJsonFeed } from './write-json-feed.ts';

const MOST_ENTRIES = 50;
const MS_PER_SECOND = 1000;

/** `GET /feeds/incidents.atom` and `GET /feeds/incidents.json`, for feed readers: an API key as the password of HTTP Basic, or as a bearer. */
export function addFeedRoutes(app: Hono<ApiEnv>, context: ApiContext): void {
  const mayRead = requireFeedKey(context.keys);
  const withoutQuery = zValidator('query', noQuery, onInvalidQuery);
  app.get(FEED_PATHS.atom, mayRead, withoutQuery, (c) =>
    tell(context, c, writeAtom, 'application/atom+xml; charset=utf-8'),
  );
  app.get(FEED_PATHS.json, mayRead, withoutQuery, (c) =>
    tell(context, c, writeJsonFeed, 'application/feed+json; charset=utf-8'),
  );
}

async function tell(
  { store, keyring, pageUrl }: ApiContext,
  c: Context<ApiEnv>,
  write: (content: FeedContent) => string,
  type: string,
): Promise<Response> {
  const services = c.get('services');
  const feed = await store.listFeed({ services, limit: MOST_ENTRIES });
  const content = toFeedContent(feed, services, { installation: keyring.id, pageUrl });
  const body = write(content);
  const etag = `"${createHash('sha256').update(body).digest('base64url')}"`;
  // In a second that is not over yet more may happen, which this date could not tell from what was.
  const settled = feed.readAt.getTime() - content.updatedAt.getTime() >= MS_PER_SECOND;
  const headers = {
    ...ANSWER_HEADERS,
    'cache-control': 'private, no-cache',
    vary: 'authorization',
    etag,
    ...(settled && { 'last-modified': content.updatedAt.toUTCString() }),
  };
  if (isKnown(c, etag, settled ? content.updatedAt : null)) return new Response(null, { status: 304, headers });
  return new Response(body, { status: 200, headers: { ...headers, 'content-type': type } });
}

/** RFC 9110 §13.2.2: the tag decides where there is one, the date only otherwise. */
function isKnown(c: Context<ApiEnv>, etag: string, updatedAt: Date | null): boolean {
  const tags = c.req.header('if-none-match');
  if (tags !== undefined) return matchesTag(tags, etag);
  const since = Date.parse(c.req.header('if-modified-since') ?? '');
  if (updatedAt === null || Number.isNaN(since)) return false;
  return Math.floor(updatedAt.getTime() / MS_PER_SECOND) * MS_PER_SECOND <= since;
}
