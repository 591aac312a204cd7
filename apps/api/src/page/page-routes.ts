import { AppError } from '@tidegate/core';
import type { Context } from 'hono';
import { Hono } from 'hono';
import { routePath } from 'hono/route';
import { failureLogger } from '../answer/failure-logger.ts';
import type { ApiContext, ApiEnv } from '../api-context.ts';
import { addAssetRoutes } from './asset/asset-routes.ts';
import { addAuditPage } from './audit/audit-route.tsx';
import { addCallbackForms } from './callback/callback-form-routes.ts';
import { addCallbackPages } from './callback/callback-pages.tsx';
import { addIncidentForms } from './incident/incident-form-routes.ts';
import { addIncidentPages } from './incident/incident-pages.tsx';
import { answerError, NOTHING_HERE, ORDER_UNSURE, OUR_MISTAKE, STORE_AWAY } from './layout/error-page.tsx';
import { addLiveRoutes } from './live/live-routes.ts';
import { addNowPage } from './now/now-route.tsx';
import { addSilenceForm } from './now/silence-form-routes.ts';
import { addGateForms } from './service/gate-form-routes.ts';
import { addServicePages } from './service/service-pages.tsx';
import { addSessionRoutes } from './session/session-routes.tsx';
import { createSessions } from './session/sessions.ts';
import { addSourcesPage } from './source/sources-route.tsx';
import { addSubjectsPage } from './subject/subjects-route.tsx';

/** The pages for people, signed in by a cookie that opens nothing else: no route of `/v1` reads it. */
export function addPageRoutes(app: Hono<ApiEnv>, context: ApiContext): void {
  const pages = new Hono<ApiEnv>();
  const sessions = createSessions(context);
  addAssetRoutes(pages);
  addSessionRoutes(pages, context, sessions);
  addLiveRoutes(pages, context, sessions);
  addNowPage(pages, context, sessions);
  addSilenceForm(pages, context, sessions);
  addIncidentPages(pages, context, sessions);
  addIncidentForms(pages, context, sessions);
  addServicePages(pages, context, sessions);
  addGateForms(pages, context, sessions);
  addCallbackPages(pages, context, sessions);
  addCallbackForms(pages, context, sessions);
  addSourcesPage(pages, context, sessions);
  addSubjectsPage(pages, context, sessions);
  addAuditPage(pages, context, sessions);

  const logFailure = failureLogger(context.log);
  pages.onError((error, c) => {
    const known = error instanceof AppError ? error : null;
    const status = known?.code === 'bad_cursor' ? 404 : known?.retryable ? 503 : 500;
    logFailure({ method: c.req.method, route: routePath(c, -1), status, code: known?.code ?? 'internal', error });
    if (status === 404) return answerError(c, 404, NOTHING_HERE);
    if (status === 500) return answerError(c, status, OUR_MISTAKE);
    c.header('retry-after', '5');
    return answerError(c, status, c.req.method === 'POST' ? ORDER_UNSURE : STORE_AWAY);
  });
  app.route('/', pages);
}

/** The answer to a browser that asks for what is not there; null for everybody else, who gets a problem. */
export function answerUnknownPage(c: Context<ApiEnv>): Response | null {
  const asksForPage = c.req.method === 'GET' && (c.req.header('accept') ?? '').includes('text/html');
  return asksForPage && !c.req.path.startsWith('/v1/') ? answerError(c, 404, NOTHING_HERE) : null;
}
