import { zValidator } from '@hono/zod-validator';
import { callbackOrderSchema, callbackStateSchema, serviceNameSchema } from '@tidegate/client';
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { answer } from '../answer/answer.ts';
import { notFound } from '../answer/not-found.ts';
import { problem } from '../answer/problem.ts';
import type { ApiContext, ApiEnv } from '../api-context.ts';
import { mayTouch } from '../auth/may-touch.ts';
import { requireScope } from '../auth/require-scope.ts';
import { readJsonBody } from '../body/read-json-body.ts';
import { onInvalidQuery } from '../query/on-invalid-query.ts';
import { noQuery, pageQuery } from '../query/page-query.ts';
import { callbackOf, giveOrder } from '../review/give-order.ts';
import { acceptCallback } from './accept-callback.ts';
import { presentCallback, presentCallbackDetail } from './present-callback.ts';
import { readCallbackRequest } from './read-callback-request.ts';
import { refuseCallback } from './refuse-callback.ts';

export const callbacksQuery = z.strictObject({
  ...pageQuery,
  service: serviceNameSchema.optional(),
  state: callbackStateSchema.optional(),
});

/**
 * `POST /v1/callbacks`, `GET /v1/callbacks`, `GET /v1/callbacks/{id}`, and `POST /v1/callbacks/{id}/cancel` and `…/redrive`,
 * answered with the callback as it is then. Who may hand over or review may cancel; to send again what has failed is a reviewer's.
 */
export function addCallbackRoutes(app: Hono<ApiEnv>, context: ApiContext): void {
  const { store } = context;
  const mayWrite = requireScope(context.keys, 'callbacks:write');
  const mayRead = requireScope(context.keys, 'callbacks:write', 'callbacks:review');
  const withoutQuery = zValidator('query', noQuery, onInvalidQuery);

  app.post('/v1/callbacks', mayWrite, withoutQuery, (c) => postCallback(context, c));

  app.get('/v1/callbacks', mayRead, zValidator('query', callbacksQuery, onInvalidQuery), async (c) => {
    const { service = null, state = null, cursor, limit } = c.req.valid('query');
    const page = await store.listCallbacks({ service, state, cursor, limit, services: c.get('services') });
    return answer(200, { items: page.items.map(presentCallback), nextCursor: page.nextCursor });
  });

  app.get('/v1/callbacks/:id', mayRead, withoutQuery, (c) => showCallback(context, c));
  app.post('/v1/callbacks/:id/cancel', mayRead, withoutQuery, (c) => order(context, c, 'cancel'));
  const mayReview = requireScope(context.keys, 'callbacks:review');
  app.post('/v1/callbacks/:id/redrive', mayReview, withoutQuery, (c) => order(context, c, 'redrive'));
}

async function showCallback({ store }: ApiContext, c: Context<ApiEnv>): Promise<Response> {
  const id = callbackOf(c);
  const detail = id === null ? null : await store.readCallback(id, c.get('services'));
  return detail === null ? notFound() : answer(200, presentCallbackDetail(detail));
}

async function order(context: ApiContext, c: Context<ApiEnv>, command: 'cancel' | 'redrive'): Promise<Response> {
  const body = await readJsonBody(c.env.incoming, callbackOrderSchema);
  if (body.kind === 'refused') return body.answer;
  const id = callbackOf(c);
  if (id === null) return notFound();
  const given = { command, reason: body.value.reason, approval: null };
  return (await giveOrder(context, c, id, given)) ?? showCallback(context, c);
}

async function postCallback(context: ApiContext, c: Context<ApiEnv>): Promise<Response> {
  const read = await readCallbackRequest(c.env.incoming);
  if (read.kind !== 'read') return refuseCallback(read);
  const { request, idempotencyKey } = read;
  if (!mayTouch(c.get('services'), request.service)) return serviceRefused();
  const accepted = await acceptCallback(context, read);
  if (accepted.kind !== 'accepted') return refuseCallback(accepted);
  const { callback, replayed } = accepted;
  if (!replayed) {
    context.log.info('callback.recorded', { callback: callback.id, service: callback.service, state: callback.state });
  }
  const headers = { location: `/v1/callbacks/${callback.id}`, ...(replayed && { 'idempotency-replayed': 'true' }) };
  return answer(201, { ...presentCallback(callback), idempotencyKey }, headers);
}

/** Said of every name that is not on the key's list, so it tells nothing of which services there are. */
function serviceRefused(): Response {
  const errors = [{ field: 'service', problem: 'not_allowed' }];
  const detail = 'The API key may not act for this service.';
  return problem({ status: 403, code: 'service_not_allowed', detail, errors });
}
