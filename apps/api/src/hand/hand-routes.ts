import { zValidator } from '@hono/zod-validator';
import { gateOrderSchema, gateReleaseSchema, serviceNameSchema } from '@tidegate/client';
import type { Audited, OrderedGate } from '@tidegate/store';
import { auditSigner } from '@tidegate/vault';
import type { Context, Hono } from 'hono';
import { answer } from '../answer/answer.ts';
import { notFound } from '../answer/not-found.ts';
import { problem } from '../answer/problem.ts';
import type { ApiContext, ApiEnv } from '../api-context.ts';
import { mayTouch } from '../auth/may-touch.ts';
import { requireScope } from '../auth/require-scope.ts';
import { malformed, readJsonBody } from '../body/read-json-body.ts';
import { readDuration, readWords } from '../body/read-words.ts';
import { onInvalidQuery } from '../query/on-invalid-query.ts';
import { noQuery } from '../query/page-query.ts';
import { actorOf } from './acting-key.ts';
import { announceOrder } from './announce-order.ts';

const LONGEST_REASON = 200;

/**
 * `POST /v1/gates/{service}/hold`, `…/force-open` and `…/release`, each answered with the gate as it is then. Whoever may act
 * on incidents may hold a gate, which is always safe, and take that back; to force one open needs `gate:override`.
 */
export function addHandRoutes(app: Hono<ApiEnv>, context: ApiContext): void {
  const { store, keyring } = context;
  const mayHold = requireScope(context.keys, 'incidents:write', 'gate:override');
  const mayForce = requireScope(context.keys, 'gate:override');
  const withoutQuery = zValidator('query', noQuery, onInvalidQuery);

  app.post('/v1/gates/:service/hold', mayHold, withoutQuery, (c) =>
    orderFor(context, c, (order) => store.holdGate(order, auditSigner(keyring))),
  );

  app.post('/v1/gates/:service/force-open', mayForce, withoutQuery, (c) =>
    orderFor(context, c, (order) => store.forceOpenGate(order, auditSigner(keyring))),
  );

  app.post('/v1/gates/:service/release', mayHold, withoutQuery, async (c) => {
    const service = serviceOf(c);
    if (service === null) return notFound();
    const body = await readJsonBody(c.env.incoming, gateReleaseSchema);
    if (body.kind === 'refused') return body.answer;
    const reason = body.value.reason === undefined ? null : readWords(body.value.reason, LONGEST_REASON);
    const order = { service, ...actorOf(c), reason };
    return tell(context, service, await store.releaseGate(order, auditSigner(keyring)));
  });
}

type TimedOrder = Parameters<ApiContext['store']['holdGate']>[0];

async function orderFor(
  context: ApiContext,
  c: Context<ApiEnv>,
  give: (order: TimedOrder) => Promise<Audited<OrderedGate>>,
): Promise<Response> {
  const service = serviceOf(c);
  if (service === null) return notFound();
  const body = await readJsonBody(c.env.incoming, gateOrderSchema);
  if (body.kind === 'refused') return body.answer;
  const reason = readWords(body.value.reason, LONGEST_REASON);
  if (reason === null) return malformed([{ field: 'reason', problem: 'malformed' }]);
  const forMs = readDuration(body.value.for);
  if (forMs === null) return malformed([{ field: 'for', problem: 'out_of_range' }]);
  return tell(context, service, await give({ service, ...actorOf(c), reason, forMs }));
}

/** Null for what the key may not touch as well: it learns nothing of which services there are. */
function serviceOf(c: Context<ApiEnv>): string | null {
  const service = serviceNameSchema.safeParse(c.req.param('service'));
  return service.success && mayTouch(c.get('services'), service.data) ? service.data : null;
}

async function tell(context: ApiContext, service: string, ordered: Audited<OrderedGate>): Promise<Response> {
  announceOrder(context, service, ordered);
  switch (ordered.outcome.kind) {
    case 'unknown_service':
      return notFound();
    case 'no_hand':
      return problem({ status: 409, code: 'no_hand', detail: 'Nobody holds this gate or forces it open.' });
    case 'moved': {
      const gate = (await context.gates.read([service])).get(service);
      return gate === undefined ? notFound() : answer(200, gate);
    }
  }
}
