import type { Hono } from 'hono';
import { ANSWER_HEADERS } from '../answer/answer.ts';
import type { ApiEnv } from '../api-context.ts';
import { ASSETS } from '../page/asset/assets.ts';
import { PAGE_HEADERS } from '../page/layout/page-headers.ts';
import { buildDocument } from './build-document.ts';
import { renderDocs } from './docs-page.ts';

/** `GET /openapi.json` and `GET /docs`: the same for everybody, so no key is asked for. */
export function addOpenapiRoutes(app: Hono<ApiEnv>): void {
  const headers = { ...ANSWER_HEADERS, 'cache-control': 'no-cache' };
  let document: string | null = null;
  let page: Promise<string> | null = null;

  app.get('/openapi.json', () => {
    document ??= JSON.stringify(buildDocument());
    return new Response(document, { headers: { ...headers, 'content-type': 'application/vnd.oai.openapi+json' } });
  });

  app.get('/docs', async () => {
    page ??= Promise.resolve(renderDocs(ASSETS.docs.path)).then(String);
    const type = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' };
    return new Response(await page, { headers: { ...PAGE_HEADERS, ...type } });
  });
}
