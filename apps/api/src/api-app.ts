import { Hono } from 'hono';
import { routePath } from 'hono/route';
import { failureLogger } from './answer/failure-logger.ts';
import { methodNotAllowed } from './answer/method-not-allowed.ts';
import { notFound } from './answer/not-found.ts';
import { problem } from './answer/problem.ts';
import { problemOfError, RETRY_AFTER_SECONDS } from './answer/problem-of-error.ts';
import type { ApiContext, ApiEnv } from './api-context.ts';
import { addBlipRoutes } from './blip/blip-routes.ts';
import { addCallbackRoutes } from './callback/callback-routes.ts';
import { addEventRoutes } from './event/event-routes.ts';
import { addFeedRoutes } from './feed/feed-routes.ts';
import { addGateEventRoutes } from './gate/gate-event-routes.ts';
import { addGateRoutes } from './gate/gate-routes.ts';
import { addHandRoutes } from './hand/hand-routes.ts';
import { addHealthRoutes } from './health/health-routes.ts';
import { addIncidentRoutes } from './incident/incident-routes.ts';
import { addIncidentActionRoutes } from './incident-action/incident-action-routes.ts';
import { addNotificationRoutes } from './notification/notification-routes.ts';
import { addObservationRoutes } from './observation/observation-routes.ts';
import { addOpenapiRoutes } from './openapi/openapi-routes.ts';
import { addPageRoutes, answerUnknownPage } from './page/page-routes.ts';
import { addReconciliationRoutes } from './reconciliation/reconciliation-routes.ts';
import { addReviewRoutes } from './review/review-routes.ts';
import { addServiceRoutes } from './service/service-routes.ts';
import { addSilenceRoutes } from './silence/silence-routes.ts';
import { addSourceRoutes } from './source/source-routes.ts';
import { createStreams } from './stream/create-streams.ts';
import { addSubjectRoutes } from './subject/subject-routes.ts';

/** Every route of the api. A failure is answered in one place, and logged by its code and route alone. */
export function createApiApp(context: ApiContext): Hono<ApiEnv> {
  const app = new Hono<ApiEnv>();
  const streams = createStreams(context);
  addHealthRoutes(app, context);
  addGateRoutes(app, context);
  addGateEventRoutes(app, context, streams);
  addHandRoutes(app, context);
  // Before the incident that would be called `events`.
  addEventRoutes(app, context, streams);
  addIncidentRoutes(app, context);
  addFeedRoutes(app, context);
  addOpenapiRoutes(app);
  addIncidentActionRoutes(app, context);
  addBlipRoutes(app, context);
  addSilenceRoutes(app, context);
  addNotificationRoutes(app, context);
  addObservationRoutes(app, context);
  addSubjectRoutes(app, context);
  addServiceRoutes(app, context);
  addSourceRoutes(app, context);
  addCallbackRoutes(app, context);
  addReviewRoutes(app, context);
  addReconciliationRoutes(app, context);
  addPageRoutes(app, context);

  const otherMethod = methodNotAllowed(app.routes);
  app.notFound((c) => answerUnknownPage(c) ?? otherMethod(c.req.path) ?? notFound());
  const logFailure = failureLogger(context.log);
  app.onError((error, c) => {
    const init = problemOfError(error);
    const { status, code } = init;
    logFailure({ method: c.req.method, route: routePath(c, -1), status, code, error });
    return problem(init, status === 503 ? { 'retry-after': String(RETRY_AFTER_SECONDS) } : {});
  });
  return app;
}
