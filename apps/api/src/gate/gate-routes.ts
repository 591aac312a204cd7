import { zValidator } from '@hono/zod-validator';
import { serviceNameSchema } from '@tidegate/client';
import type { Hono } from 'hono';
import { ANSWER_HEADERS, answer } from '../answer/answer.ts';
import { notFound } from '../answer/not-found.ts';
import type { ApiContext, ApiEnv } from '../api-context.ts';
import { mayTouch } from '../auth/may-touch.ts';
import { requireScope } from '../auth/require-scope.ts';
import { onInvalidQuery } from '../query/on-invalid-query.ts';
import { findGate } from './find-gate.ts';
import { gateQuery, gatesQuery } from './gate-query.ts';

/** `GET /v1/gates/{service}` and `GET /v1/gates?service=a,b`. */
export function addGateRoutes(app: Hono<ApiEnv>, context: ApiContext): void {
  const mayRead = requireScope(context.keys, 'gate:read');

  app.get('/v1/gates/:service', mayRead, zValidator('query', gateQuery, onInvalidQuery), async (c) => {
    const service = c.req.param('service');
    if (!serviceNameSchema.safeParse(service).success || !mayTouch(c.get('services'), service)) return notFound();
    const { wait, generation } = c.req.valid('query');
    const found = await findGate(context, {
      service,
      waitMs: wait,
      generation,
      noneMatch: c.req.header('if-none-match'),
      client: () => c.req.raw.signal,
    });
    switch (found.kind) {
      case 'found':
        context.metrics.count('gate.queries', { decision: found.gate.decision });
        return answer(200, found.gate, { etag: found.tag });
      case 'unchanged':
        return new Response(null, { status: 304, headers: { ...ANSWER_HEADERS, etag: found.tag } });
      case 'unknown':
      case 'disconnected':
        return notFound();
    }
  });

  app.get('/v1/gates', mayRead, zValidator('query', gatesQuery, onInvalidQuery), async (c) => {
    const visible = c.get('services');
    const asked = c.req.valid('query').service ?? visible;
    const names = asked === null ? null : [...new Set(asked)].filter((service) => mayTouch(visible, service));
    const gates = await context.gates.read(names);
    const items = (names ?? [...gates.keys()].sort()).flatMap((service) => gates.get(service) ?? []);
    return answer(200, { items });
  });
}
