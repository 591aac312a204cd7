import { zValidator } from '@hono/zod-validator';
import { approvalSchema, callbackOrderSchema, serviceNameSchema } from '@tidegate/client';
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { answer } from '../answer/answer.ts';
import { notFound } from '../answer/not-found.ts';
import type { ApiContext, ApiEnv } from '../api-context.ts';
import { requireScope } from '../auth/require-scope.ts';
import { malformed, readJsonBody } from '../body/read-json-body.ts';
import { readDuration } from '../body/read-words.ts';
import { presentCallback } from '../callback/present-callback.ts';
import { onInvalidQuery } from '../query/on-invalid-query.ts';
import { noQuery, pageQuery } from '../query/page-query.ts';
import { callbackOf, type GivenOrder, giveOrder } from './give-order.ts';
import { presentReview } from './present-review.ts';

/** Long enough to be executed behind an open gate, short enough not to surprise anybody the next day. */
const APPROVED_FOR_MS = 3_600_000;

export const reviewsQuery = z.strictObject({ ...pageQuery, service: serviceNameSchema.optional() });

/**
 * `GET /v1/reviews`, `GET /v1/reviews/{id}` with the id of a callback, and `POST /v1/reviews/{id}/approve`, `…/deny` and
 * `…/complete`, each answered with the review as it is then. All need `callbacks:review`.
 */
export function addReviewRoutes(app: Hono<ApiEnv>, context: ApiContext): void {
  const { store } = context;
  const mayReview = requireScope(context.keys, 'callbacks:review');
  const withoutQuery = zValidator('query', noQuery, onInvalidQuery);

  app.get('/v1/reviews', mayReview, zValidator('query', reviewsQuery, onInvalidQuery), async (c) => {
    const { service = null, cursor, limit } = c.req.valid('query');
    const filter = { service, state: 'needs_review' as const, cursor, limit, services: c.get('services') };
    const page = await store.listCallbacks(filter);
    return answer(200, { items: page.items.map(presentCallback), nextCursor: page.nextCursor });
  });

  app.get('/v1/reviews/:id', mayReview, withoutQuery, (c) => showReview(context, c));
  app.post('/v1/reviews/:id/approve', mayReview, withoutQuery, (c) => approve(context, c));
  app.post('/v1/reviews/:id/deny', mayReview, withoutQuery, (c) => decide(context, c, 'deny'));
  app.post('/v1/reviews/:id/complete', mayReview, withoutQuery, (c) => decide(context, c, 'complete'));
}

async function approve(context: ApiContext, c: Context<ApiEnv>): Promise<Response> {
  const body = await readJsonBody(c.env.incoming, approvalSchema);
  if (body.kind === 'refused') return body.answer;
  const { reason, payloadHash, for: duration } = body.value;
  const forMs = duration === undefined ? APPROVED_FOR_MS : readDuration(duration);
  if (forMs === null) return malformed([{ field: 'for', problem: 'out_of_range' }]);
  const approval = { payloadHash: Buffer.from(payloadHash, 'hex'), forMs };
  return orderAndShow(context, c, { command: 'approve', reason, approval });
}

async function decide(context: ApiContext, c: Context<ApiEnv>, command: 'deny' | 'complete'): Promise<Response> {
  const body = await readJsonBody(c.env.incoming, callbackOrderSchema);
  if (body.kind === 'refused') return body.answer;
  return orderAndShow(context, c, { command, reason: body.value.reason, approval: null });
}

async function orderAndShow(context: ApiContext, c: Context<ApiEnv>, order: GivenOrder): Promise<Response> {
  const id = callbackOf(c);
  if (id === null) return notFound();
  return (await giveOrder(context, c, id, order)) ?? showReview(context, c);
}

async function showReview({ store }: ApiContext, c: Context<ApiEnv>): Promise<Response> {
  const id = callbackOf(c);
  const review = id === null ? null : await store.readReview(id, c.get('services'));
  return review === null ? notFound() : answer(200, presentReview(review));
}
