import { zValidator } from '@hono/zod-validator';
import { type ReconciliationDetail, serviceNameSchema } from '@tidegate/client';
import type { ReconciliationItem, ReconciliationRow } from '@tidegate/store';
import type { Hono } from 'hono';
import { z } from 'zod';
import { answer } from '../answer/answer.ts';
import { notFound } from '../answer/not-found.ts';
import type { ApiContext, ApiEnv } from '../api-context.ts';
import { requireScope } from '../auth/require-scope.ts';
import { onInvalidQuery } from '../query/on-invalid-query.ts';
import { pageQuery } from '../query/page-query.ts';
import { isPublicId } from '../query/public-id.ts';

export const reconciliationsQuery = z.strictObject({ ...pageQuery, service: serviceNameSchema.optional() });
export const reconciliationQuery = z.strictObject({
  ...pageQuery,
  cursor: z
    .string()
    .regex(/^cb_[A-Za-z0-9]{1,64}$/)
    .optional()
    .transform((cursor) => cursor ?? null),
});

/** `GET /v1/reconciliations` and `GET /v1/reconciliations/{id}`, with as many of its callbacks as asked for. */
export function addReconciliationRoutes(app: Hono<ApiEnv>, { keys, store }: ApiContext): void {
  const mayRead = requireScope(keys, 'callbacks:write', 'callbacks:review');

  app.get('/v1/reconciliations', mayRead, zValidator('query', reconciliationsQuery, onInvalidQuery), async (c) => {
    const { service = null, cursor, limit } = c.req.valid('query');
    const page = await store.listReconciliations({ service, cursor, limit, services: c.get('services') });
    return answer(200, { items: page.items.map(presentRun), nextCursor: page.nextCursor });
  });

  app.get('/v1/reconciliations/:id', mayRead, zValidator('query', reconciliationQuery, onInvalidQuery), async (c) => {
    const id = c.req.param('id');
    const { cursor, limit } = c.req.valid('query');
    const run = isPublicId(id, 'rec') ? await store.readReconciliation(id, c.get('services')) : null;
    if (run === null) return notFound();
    const found = await store.listReconciliationItems(id, cursor, limit + 1);
    const items = found.slice(0, limit);
    const nextCursor = found.length > limit ? (items.at(-1)?.callback ?? null) : null;
    return answer(200, {
      ...presentRun(run),
      items: items.map(presentItem),
      nextCursor,
    } satisfies ReconciliationDetail);
  });
}

function presentRun({ startedAt, ...run }: ReconciliationRow) {
  return { ...run, startedAt: startedAt.toISOString() };
}

function presentItem({ decidedAt, ...item }: ReconciliationItem) {
  return { ...item, decidedAt: decidedAt.toISOString() };
}
