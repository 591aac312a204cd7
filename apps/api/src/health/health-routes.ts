import type { Hono } from 'hono';
import { answer } from '../answer/answer.ts';
import type { ApiContext, ApiEnv } from '../api-context.ts';

/** `GET /healthz`: the process answers. `GET /readyz`: so does the store, and it takes writes. */
export function addHealthRoutes(app: Hono<ApiEnv>, { store }: ApiContext): void {
  app.get('/healthz', () => answer(200, { status: 'ok' }));

  app.get('/readyz', async () => {
    await store.ping();
    return answer(200, { status: 'ok' });
  });
}
