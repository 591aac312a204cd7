import { z } from 'zod';
import {
  count,
  duration,
  emailAddress,
  hostName,
  httpUrl,
  name,
  network,
  secretText,
  signingKey,
  text,
  timeOfDay,
  timeZone,
} from './config-fields.ts';

const PAGERDUTY_URL = 'https://events.pagerduty.com/v2/enqueue';
const TYPES = ['webhook', 'slack', 'discord', 'pagerduty', 'alertmanager', 'ntfy', 'smtp'] as const;
const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export const SEVERITIES = ['critical', 'warning', 'info'] as const;

/** Whatever says where a channel leads, or proves who we are there, is a secret. */
const channelSchema = z.discriminatedUnion(
  'type',
  [
    z.strictObject({ type: z.literal('webhook'), url: httpUrl(), signingSecret: signingKey() }),
    z.strictObject({ type: z.literal('slack'), url: httpUrl() }),
    z.strictObject({ type: z.literal('discord'), url: httpUrl() }),
    z.strictObject({
      type: z.literal('pagerduty'),
      routingKey: secretText(8, 128),
      url: httpUrl().default(PAGERDUTY_URL),
    }),
    z.strictObject({
      type: z.literal('alertmanager'),
      url: httpUrl(),
      authorization: text(1024).optional(),
      // Often enough for the usual resolve_timeout of 5m, as its documentation asks of clients.
      repeatEvery: duration(1000).prefault('1m'),
    }),
    z.strictObject({
      type: z.literal('ntfy'),
      url: httpUrl().default('https://ntfy.sh'),
      topic: secretText(1, 64),
      token: text(256).optional(),
    }),
    z.strictObject({
      type: z.literal('smtp'),
      host: hostName(),
      port: count(1, 65_535).default(587),
      security: z.enum(['starttls', 'tls', 'none']).default('starttls'),
      user: text(256).optional(),
      password: text(512).optional(),
      from: emailAddress(),
      to: z.array(emailAddress()).min(1).max(20),
    }),
  ],
  { error: `must be one of ${TYPES.join(', ')}` },
);

const windowSchema = z.strictObject({
  days: z
    .array(z.enum(WEEKDAYS))
    .min(1)
    .default([...WEEKDAYS]),
  from: timeOfDay(),
  to: timeOfDay(),
  timeZone: timeZone(),
});

const routeSchema = z.strictObject({
  channels: z.array(name()).min(1),
  severity: z
    .array(z.enum(SEVERITIES))
    .min(1)
    .default([...SEVERITIES]),
  services: z.array(name()).min(1).optional(),
  during: z.array(windowSchema).min(1).optional(),
});

export const notifySchema = z
  .strictObject({
    channels: z.record(name(), channelSchema).default({}),
    /** Absent: every channel is told everything, always. */
    routes: z.array(routeSchema).optional(),
    groupUpdates: duration(0).prefault('2m'),
    pageUrl: httpUrl()
      .refine((url) => !/[?#]/.test(url), {
        error: 'must have neither a query nor a fragment, since paths are put after it',
      })
      .optional(),
    allowPrivate: z.array(network({ port: true })).default([]),
    retry: z
      .strictObject({
        // So many, at up to five minutes each, that the time is the bound.
        attempts: count(1, 1000).default(200),
        baseDelay: duration(1).prefault('5s'),
        maxDelay: duration(1).prefault('5m'),
        maxElapsed: duration(1).prefault('6h'),
      })
      .prefault({}),
  })
  .prefault({});

export type ParsedNotify = z.output<typeof notifySchema>;
export type ParsedChannel = z.output<typeof channelSchema>;
