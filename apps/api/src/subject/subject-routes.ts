import { zValidator } from '@hono/zod-validator';
import type { Hono } from 'hono';
import { z } from 'zod';
import { answer } from '../answer/answer.ts';
import type { ApiContext, ApiEnv } from '../api-context.ts';
import { refuseLimitedKey } from '../auth/refuse-limited-key.ts';
import { requireScope } from '../auth/require-scope.ts';
import { onInvalidQuery } from '../query/on-invalid-query.ts';
import { pageQuery } from '../query/page-query.ts';
import { presentSubject } from './present-subject.ts';

const subjectsQuery = z.strictObject(pageQuery);

/** `GET /v1/subjects`. */
export function addSubjectRoutes(app: Hono<ApiEnv>, { keys, store }: ApiContext): void {
  const mayRead = requireScope(keys, 'incidents:read');
  const query = zValidator('query', subjectsQuery, onInvalidQuery);

  app.get('/v1/subjects', mayRead, refuseLimitedKey, query, async (c) => {
    const page = await store.listSubjects(c.req.valid('query'));
    return answer(200, { items: page.items.map(presentSubject), nextCursor: page.nextCursor });
  });
}
