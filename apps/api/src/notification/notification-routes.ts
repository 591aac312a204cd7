import { zValidator } from '@hono/zod-validator';
import { type Channel, type Notification, notificationStateSchema } from '@tidegate/client';
import type { ChannelRow, NotificationRow } from '@tidegate/store';
import type { Hono } from 'hono';
import { z } from 'zod';
import { answer } from '../answer/answer.ts';
import type { ApiContext, ApiEnv } from '../api-context.ts';
import { requireScope } from '../auth/require-scope.ts';
import { onInvalidQuery } from '../query/on-invalid-query.ts';
import { noQuery, pageQuery } from '../query/page-query.ts';

const CHANNEL = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;
const INCIDENT = /^inc_[a-z0-9]{1,64}$/;

export const notificationsQuery = z.strictObject({
  ...pageQuery,
  state: notificationStateSchema.optional(),
  channel: z.string().regex(CHANNEL).optional(),
  incident: z.string().regex(INCIDENT).optional(),
});

/** `GET /v1/notifications`, the ledger, and `GET /v1/channels`, how each channel fares. */
export function addNotificationRoutes(app: Hono<ApiEnv>, { keys, store }: ApiContext): void {
  const mayRead = requireScope(keys, 'incidents:read');

  app.get('/v1/notifications', mayRead, zValidator('query', notificationsQuery, onInvalidQuery), async (c) => {
    const { state = null, channel = null, incident = null, cursor, limit } = c.req.valid('query');
    const filter = { state, channel, incident, services: c.get('services'), cursor, limit };
    const page = await store.listNotifications(filter);
    return answer(200, { items: page.items.map(presentNotification), nextCursor: page.nextCursor });
  });

  app.get('/v1/channels', mayRead, zValidator('query', noQuery, onInvalidQuery), async () => {
    const channels = await store.listChannels();
    return answer(200, { items: channels.map(presentChannel), nextCursor: null });
  });
}

function presentNotification({ decidedAt, dueAt, endedAt, ...row }: NotificationRow): Notification {
  return {
    ...row,
    decidedAt: decidedAt.toISOString(),
    dueAt: dueAt?.toISOString() ?? null,
    endedAt: endedAt?.toISOString() ?? null,
  };
}

function presentChannel({ pausedUntil, lastSentAt, lastFailedAt, ...row }: ChannelRow): Channel {
  return {
    ...row,
    pausedUntil: pausedUntil?.toISOString() ?? null,
    lastSentAt: lastSentAt?.toISOString() ?? null,
    lastFailedAt: lastFailedAt?.toISOString() ?? null,
  };
}
