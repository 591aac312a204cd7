import { zValidator } from '@hono/zod-validator';
import type { Gate, Service } from '@tidegate/client';
import type { ServiceRow } from '@tidegate/store';
import type { Hono } from 'hono';
import { z } from 'zod';
import { answer } from '../answer/answer.ts';
import type { ApiContext, ApiEnv } from '../api-context.ts';
import { requireScope } from '../auth/require-scope.ts';
import { onInvalidQuery } from '../query/on-invalid-query.ts';
import { nameQuery, pageQuery } from '../query/page-query.ts';

export const servicesQuery = z.strictObject({ ...pageQuery, source: nameQuery });

/** `GET /v1/services`: each with its gate, the layers that are probed, and its last verification. */
export function addServiceRoutes(app: Hono<ApiEnv>, { keys, store, gates, probes }: ApiContext): void {
  const mayRead = requireScope(keys, 'incidents:read');

  app.get('/v1/services', mayRead, zValidator('query', servicesQuery, onInvalidQuery), async (c) => {
    const { source = null, cursor, limit } = c.req.valid('query');
    const page = await store.listServices({ source, services: c.get('services'), cursor, limit });
    const read = await gates.read(page.items.map(({ name }) => name));
    const items = page.items.flatMap((row) => {
      const gate = read.get(row.name);
      // Retired between the two reads: it has no gate any more.
      return gate === undefined ? [] : [presentService(row, gate, [...(probes.get(row.name) ?? [])])];
    });
    return answer(200, { items, nextCursor: page.nextCursor });
  });
}

function presentService(row: ServiceRow, gate: Gate, probes: Service['probes']): Service {
  const last = row.lastVerification;
  return {
    name: row.name,
    source: row.source,
    group: row.group,
    device: row.device,
    tunnel: row.tunnel,
    policy: row.policy,
    probes,
    gate,
    lastVerification: last === null ? null : { ...last, startedAt: new Date(last.startedAt).toISOString() },
    createdAt: row.createdAt.toISOString(),
  };
}
