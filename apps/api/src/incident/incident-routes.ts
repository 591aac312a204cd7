import { zValidator } from '@hono/zod-validator';
import { incidentSchema, incidentStateSchema, serviceNameSchema } from '@tidegate/client';
import type { Hono } from 'hono';
import { z } from 'zod';
import { answer } from '../answer/answer.ts';
import { notFound } from '../answer/not-found.ts';
import type { ApiContext, ApiEnv } from '../api-context.ts';
import { requireScope } from '../auth/require-scope.ts';
import { onInvalidQuery } from '../query/on-invalid-query.ts';
import { noQuery, pageQuery, sinceQuery } from '../query/page-query.ts';
import { isPublicId } from '../query/public-id.ts';
import { limitDetail, limitRow } from './limit-incident.ts';
import { presentDetail, presentIncident } from './present-incident.ts';

export const incidentsQuery = z.strictObject({
  ...pageQuery,
  state: incidentStateSchema.optional(),
  kind: incidentSchema.shape.kind.optional(),
  service: serviceNameSchema.optional(),
  since: sinceQuery,
});

/** `GET /v1/incidents` and `GET /v1/incidents/{id}`. */
export function addIncidentRoutes(app: Hono<ApiEnv>, { keys, store }: ApiContext): void {
  const mayRead = requireScope(keys, 'incidents:read');

  app.get('/v1/incidents', mayRead, zValidator('query', incidentsQuery, onInvalidQuery), async (c) => {
    const { state = null, kind = null, service = null, since = null, cursor, limit } = c.req.valid('query');
    const services = c.get('services');
    const page = await store.listIncidents({ state, kind, service, since, cursor, limit, services });
    const items = page.items.map((row) => presentIncident(limitRow(row, services)));
    return answer(200, { items, nextCursor: page.nextCursor });
  });

  app.get('/v1/incidents/:id', mayRead, zValidator('query', noQuery, onInvalidQuery), async (c) => {
    const id = c.req.param('id');
    const services = c.get('services');
    const detail = isPublicId(id, 'inc') ? await store.readIncident(id, services) : null;
    return detail === null ? notFound() : answer(200, presentDetail(limitDetail(detail, services)));
  });
}
