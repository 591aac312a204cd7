import type { AppName } from './config.ts';
import type { ChannelTarget, NotifyConfig, RouteConfig } from './notify-config.ts';
import type { ParsedChannel, ParsedNotify } from './notify-schema.ts';
import { ownsPath } from './resolve-values.ts';

/** The channels and routes as one app sees them: where a channel leads is for the worker alone. */
export function toNotify(parsed: ParsedNotify, app: AppName): NotifyConfig {
  const ownsTargets = ownsPath(app, ['notify', 'channels', 'any', 'url']);
  const { routes, groupUpdates, pageUrl, allowPrivate, retry } = parsed;
  const names = Object.keys(parsed.channels);
  return {
    channels: Object.entries(parsed.channels).map(([name, channel]) => ({
      name,
      type: channel.type,
      target: ownsTargets ? toTarget(channel) : null,
    })),
    routes: routes === undefined ? everything(names) : routes.map(toRoute),
    groupUpdatesMs: groupUpdates,
    pageUrl: pageUrl ?? null,
    allowPrivate,
    retry: {
      attempts: retry.attempts,
      baseDelayMs: retry.baseDelay,
      maxDelayMs: retry.maxDelay,
      maxElapsedMs: retry.maxElapsed,
    },
  };
}

function everything(channels: readonly string[]): RouteConfig[] {
  return [{ channels, severities: ['critical', 'warning', 'info'], services: null, during: null }];
}

function toRoute({ channels, severity, services, during }: NonNullable<ParsedNotify['routes']>[number]): RouteConfig {
  return {
    channels,
    severities: severity,
    services: services ?? null,
    during: during?.map(({ from, to, ...window }) => ({ ...window, fromMinute: from, toMinute: to })) ?? null,
  };
}

function toTarget(channel: ParsedChannel): ChannelTarget {
  switch (channel.type) {
    case 'alertmanager': {
      const { type, url, authorization, repeatEvery } = channel;
      return { type, url, authorization: authorization ?? null, repeatEveryMs: repeatEvery };
    }
    case 'ntfy':
      return { ...channel, token: channel.token ?? null };
    case 'smtp':
      return { ...channel, user: channel.user ?? null, password: channel.password ?? null };
    default:
      return channel;
  }
}
