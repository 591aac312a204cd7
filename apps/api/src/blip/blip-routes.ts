import { zValidator } from '@hono/zod-validator';
import { type Blip, serviceNameSchema } from '@tidegate/client';
import type { BlipRow } from '@tidegate/store';
import type { Hono } from 'hono';
import { z } from 'zod';
import { answer } from '../answer/answer.ts';
import type { ApiContext, ApiEnv } from '../api-context.ts';
import { requireScope } from '../auth/require-scope.ts';
import { onInvalidQuery } from '../query/on-invalid-query.ts';
import { pageQuery, sinceQuery } from '../query/page-query.ts';

export const blipsQuery = z.strictObject({
  ...pageQuery,
  service: serviceNameSchema.optional(),
  since: sinceQuery,
});

/** `GET /v1/blips`: drops that healed before anybody was paged. */
export function addBlipRoutes(app: Hono<ApiEnv>, { keys, store }: ApiContext): void {
  const mayRead = requireScope(keys, 'incidents:read');

  app.get('/v1/blips', mayRead, zValidator('query', blipsQuery, onInvalidQuery), async (c) => {
    const { service = null, since = null, cursor, limit } = c.req.valid('query');
    const page = await store.listBlips({ group: null, service, since, services: c.get('services'), cursor, limit });
    return answer(200, { items: page.items.map(presentBlip), nextCursor: page.nextCursor });
  });
}

function presentBlip(row: BlipRow): Blip {
  return {
    id: row.id,
    group: { alias: row.groupAlias, name: row.groupName },
    services: row.services,
    firstAt: row.firstAt.toISOString(),
    lastAt: row.lastAt.toISOString(),
    observations: row.count,
    recordedAt: row.recordedAt.toISOString(),
  };
}
