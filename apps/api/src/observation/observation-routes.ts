import { zValidator } from '@hono/zod-validator';
import { observationSchema } from '@tidegate/client';
import type { Hono } from 'hono';
import { z } from 'zod';
import { answer } from '../answer/answer.ts';
import type { ApiContext, ApiEnv } from '../api-context.ts';
import { refuseLimitedKey } from '../auth/refuse-limited-key.ts';
import { requireScope } from '../auth/require-scope.ts';
import { onInvalidQuery } from '../query/on-invalid-query.ts';
import { nameQuery, pageQuery, sinceQuery } from '../query/page-query.ts';
import { presentObservation } from './present-observation.ts';

export const observationsQuery = z.strictObject({
  ...pageQuery,
  subject: z
    .string()
    .regex(/^(?:dev|tun)_[A-Za-z0-9]{1,64}$/)
    .optional(),
  status: observationSchema.shape.status.optional(),
  source: nameQuery,
  since: sinceQuery,
});

/** `GET /v1/observations`. */
export function addObservationRoutes(app: Hono<ApiEnv>, { keys, store }: ApiContext): void {
  const mayRead = requireScope(keys, 'incidents:read');
  const query = zValidator('query', observationsQuery, onInvalidQuery);

  app.get('/v1/observations', mayRead, refuseLimitedKey, query, async (c) => {
    const { subject = null, status = null, source = null, since = null, cursor, limit } = c.req.valid('query');
    const page = await store.listObservations({ subject, status, source, since, cursor, limit });
    return answer(200, { items: page.items.map(presentObservation), nextCursor: page.nextCursor });
  });
}
