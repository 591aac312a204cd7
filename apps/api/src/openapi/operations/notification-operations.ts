import { notificationsQuery } from '../../notification/notification-routes.ts';
import type { Operation } from '../operation.ts';

const READ = ['incidents:read'] as const;

export const NOTIFICATION_OPERATIONS: readonly Operation[] = [
  {
    method: 'get',
    path: '/v1/notifications',
    id: 'listNotifications',
    tag: 'incidents',
    summary: 'What was told to which channel, newest first',
    scopes: READ,
    query: notificationsQuery,
    answer: { status: 200, description: 'A page of notifications.', schema: 'NotificationPage' },
    example: { path: '/v1/notifications?limit=20' },
  },
  {
    method: 'get',
    path: '/v1/channels',
    id: 'listChannels',
    tag: 'incidents',
    summary: 'How each channel fares',
    scopes: READ,
    answer: { status: 200, description: 'All channels.', schema: 'ChannelPage' },
    example: { path: '/v1/channels' },
  },
];
