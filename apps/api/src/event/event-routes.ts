import { zValidator } from '@hono/zod-validator';
import type { Hono } from 'hono';
import { z } from 'zod';
import type { ApiContext, ApiEnv } from '../api-context.ts';
import { requireScope } from '../auth/require-scope.ts';
import { stillLives } from '../auth/still-lives.ts';
import { onInvalidQuery } from '../query/on-invalid-query.ts';
import type { Streams } from '../stream/create-streams.ts';
import { STREAM_HEADERS } from '../stream/event-writer.ts';
import { followEvents, type KnownNumber, startAt } from './follow-events.ts';

const HEARTBEAT_MS = 15_000;
const NUMBER = /^(?:0|[1-9][0-9]{0,14})$/;

/** `?after=` for those who cannot send `Last-Event-ID` with their first request; the header wins. */
export const eventsQuery = z.strictObject({ after: z.string().regex(NUMBER).transform(Number).optional() });

/** `GET /v1/incidents/events`: the numbered events as server-sent events. */
export function addEventRoutes(app: Hono<ApiEnv>, { keys, events }: ApiContext, streams: Streams): void {
  const mayRead = requireScope(keys, 'incidents:read');

  app.get('/v1/incidents/events', mayRead, zValidator('query', eventsQuery, onInvalidQuery), (c) => {
    if (c.req.method === 'HEAD') return new Response(null, { headers: STREAM_HEADERS });
    const known = knownNumber(c.req.header('last-event-id'), c.req.valid('query').after);
    const services = c.get('services');
    return streams.open(c.env.outgoing, {
      key: c.get('key').id,
      start: () => startAt(events, known),
      mayStill: stillLives(keys, c),
      follow: (writer, start, tell) =>
        followEvents({ writer, tail: events, start, services, heartbeatMs: HEARTBEAT_MS }, tell),
    });
  });
}

function knownNumber(header: string | undefined, after: number | undefined): KnownNumber {
  if (header === undefined || header === '') return after === 0 ? 'none' : (after ?? null);
  return NUMBER.test(header) ? Number(header) : 'unreadable';
}
