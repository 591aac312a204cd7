import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { ApiEnv } from '../../api-context.ts';
import { Layout, type PageFrame } from './layout.tsx';
import { PAGE_HEADERS } from './page-headers.ts';

/** Answers a page. Nothing of it may be kept: it is true now, and for this viewer. */
export function answerPage(
  c: Context<ApiEnv>,
  frame: PageFrame,
  content: unknown,
  status: ContentfulStatusCode = 200,
): Response {
  const html = String(<Layout frame={frame}>{content}</Layout>);
  return c.html(`<!doctype html>\n${html}`, status, { ...PAGE_HEADERS, 'cache-control': 'no-store' });
}

/** Answers without a page: only a script asked. */
export function answerNothing(status: 401 | 503, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(null, { status, headers: { ...PAGE_HEADERS, 'cache-control': 'no-store', ...headers } });
}

/** Sends the browser on, as after a form. */
export function goTo(c: Context<ApiEnv>, path: string): Response {
  for (const [name, value] of Object.entries(PAGE_HEADERS)) c.header(name, value);
  c.header('cache-control', 'no-store');
  return c.redirect(path, 303);
}
