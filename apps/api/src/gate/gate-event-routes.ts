import { zValidator } from '@hono/zod-validator';
import { type Gate, serviceNameSchema } from '@tidegate/client';
import type { Hono } from 'hono';
import { notFound } from '../answer/not-found.ts';
import type { ApiContext, ApiEnv } from '../api-context.ts';
import { mayTouch } from '../auth/may-touch.ts';
import { requireScope } from '../auth/require-scope.ts';
import { stillLives } from '../auth/still-lives.ts';
import { onInvalidQuery } from '../query/on-invalid-query.ts';
import { noQuery } from '../query/page-query.ts';
import type { Streams } from '../stream/create-streams.ts';
import { type EventWriter, STREAM_HEADERS } from '../stream/event-writer.ts';

/** A lease has to be renewed in time, a held gate only shows that the stream lives. */
const RENEW_MS = 2000;
const HEARTBEAT_MS = 15_000;

/** `GET /v1/gates/{service}/events`: the gate now, and again whenever it changes or its lease has to be renewed. */
export function addGateEventRoutes(app: Hono<ApiEnv>, context: ApiContext, streams: Streams): void {
  const { keys, gates } = context;
  const mayRead = requireScope(keys, 'gate:read');

  app.get('/v1/gates/:service/events', mayRead, zValidator('query', noQuery, onInvalidQuery), async (c) => {
    const service = c.req.param('service');
    if (!serviceNameSchema.safeParse(service).success || !mayTouch(c.get('services'), service)) return notFound();
    const read = async () => (await gates.read([service])).get(service);
    const first = await read();
    if (first === undefined) return notFound();
    if (c.req.method === 'HEAD') return new Response(null, { headers: STREAM_HEADERS });
    return streams.open(c.env.outgoing, {
      key: c.get('key').id,
      // Read again: the first may have waited for its turn.
      start: read,
      mayStill: stillLives(keys, c),
      follow: (writer, start, tell) => followGate(context, writer, start, tell),
    });
  });
}

/** Ends without a word once the service is gone: a reader that comes back is told 404. */
async function followGate(
  { gates, watcher, metrics }: ApiContext,
  writer: EventWriter,
  start: Gate | undefined,
  tell: () => void,
): Promise<{ stopped: boolean }> {
  let gate = start;
  while (gate !== undefined && !writer.closed.aborted) {
    const { service, decision } = gate;
    await writer.write({ data: gate });
    metrics.count('gate.queries', { decision });
    tell();
    const waitMs = decision === 'allowed' ? RENEW_MS : HEARTBEAT_MS;
    const end = await watcher.wait(service, gate, { waitMs, client: writer.closed });
    switch (end.kind) {
      case 'changed':
        gate = end.gate;
        break;
      case 'expired':
        gate = (await gates.read([service])).get(service);
        break;
      case 'stopped':
        return { stopped: true };
      case 'gone':
      case 'disconnected':
        return { stopped: false };
    }
  }
  return { stopped: false };
}
