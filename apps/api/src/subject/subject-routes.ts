import { zValidator } from '@hono/zod-validator';
import { serviceNameSchema, subjectSchema } from '@tidegate/client';
import type { Hono } from 'hono';
import { z } from 'zod';
import { answer } from '../answer/answer.ts';
import type { ApiContext, ApiEnv } from '../api-context.ts';
import { refuseLimitedKey } from '../auth/refuse-limited-key.ts';
import { requireScope } from '../auth/require-scope.ts';
import { onInvalidQuery } from '../query/on-invalid-query.ts';
import { nameQuery, pageQuery } from '../query/page-query.ts';
import { presentSubject } from './present-subject.ts';

export const subjectsQuery = z.strictObject({
  ...pageQuery,
  type: subjectSchema.shape.type.optional(),
  status: z.enum(['connected', 'disconnected']).optional(),
  group: nameQuery,
  service: serviceNameSchema.optional(),
});

/** `GET /v1/subjects`. */
export function addSubjectRoutes(app: Hono<ApiEnv>, { keys, store }: ApiContext): void {
  const mayRead = requireScope(keys, 'incidents:read');
  const query = zValidator('query', subjectsQuery, onInvalidQuery);

  app.get('/v1/subjects', mayRead, refuseLimitedKey, query, async (c) => {
    const { type = null, status = null, group = null, service = null, cursor, limit } = c.req.valid('query');
    const page = await store.listSubjects({ type, status, group, service, cursor, limit });
    return answer(200, { items: page.items.map(presentSubject), nextCursor: page.nextCursor });
  });
}
