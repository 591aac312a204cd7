import { zValidator } from '@hono/zod-validator';
import type { Source } from '@tidegate/client';
import type { SourceListRow } from '@tidegate/store';
import type { Hono } from 'hono';
import { z } from 'zod';
import { answer } from '../answer/answer.ts';
import type { ApiContext, ApiEnv } from '../api-context.ts';
import { refuseLimitedKey } from '../auth/refuse-limited-key.ts';
import { requireScope } from '../auth/require-scope.ts';
import { onInvalidQuery } from '../query/on-invalid-query.ts';
import { pageQuery } from '../query/page-query.ts';

export const sourcesQuery = z.strictObject(pageQuery);

/** `GET /v1/sources`: the webhooks, when each was last heard, and what became of its deliveries. */
export function addSourceRoutes(app: Hono<ApiEnv>, { keys, store }: ApiContext): void {
  const mayRead = requireScope(keys, 'incidents:read');
  const query = zValidator('query', sourcesQuery, onInvalidQuery);

  app.get('/v1/sources', mayRead, refuseLimitedKey, query, async (c) => {
    const page = await store.listSourcePage(c.req.valid('query'));
    return answer(200, { items: page.items.map(presentSource), nextCursor: page.nextCursor });
  });
}

function presentSource(row: SourceListRow): Source {
  return {
    name: row.name,
    group: row.group,
    timeZone: row.timeZone,
    watch: row.watch,
    createdAt: row.createdAt.toISOString(),
    lastSeenAt: row.lastSeenAt?.toISOString() ?? null,
    deliveries: { ...row.counters },
  };
}
