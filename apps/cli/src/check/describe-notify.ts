import { formatDuration, type NotifyConfig } from '@tidegate/runtime';

/** Channels and routes in effect, without where a channel leads. */
export function describeNotify({ channels, routes, groupUpdatesMs, pageUrl, retry }: NotifyConfig) {
  const routed = new Set(routes.flatMap((route) => route.channels));
  return {
    channels: channels.map(({ name, type }) => ({ name, type, routed: routed.has(name) })),
    routes,
    groupUpdatesMs,
    pageUrl,
    retry,
  };
}

/** The same for a person. */
export function showNotify(notify: NotifyConfig): string[] {
  const { channels, routes } = describeNotify(notify);
  if (channels.length === 0) return ['', 'Nobody is told of incidents: name a channel under notify.channels.'];
  const { attempts, maxElapsedMs } = notify.retry;
  return [
    '',
    `notify: ${channels.length} channel(s); updates at most every ${formatDuration(notify.groupUpdatesMs)}; up to ${attempts} attempts within ${formatDuration(maxElapsedMs)}`,
    ...channels.map(
      ({ name, type, routed }) =>
        `  ${name}  ${type}${routed ? '' : '  warning: no route names it, so it is told nothing'}`,
    ),
    ...routes.map(showRoute),
  ];
}

function showRoute({ channels, severities, services, during }: NotifyConfig['routes'][number]): string {
  const what = `${severities.join(', ')} of ${services === null ? 'everything' : services.join(', ')}`;
  return `  ${what} → ${channels.join(', ')}, ${during === null ? 'always' : during.map(showWindow).join(' and ')}`;
}

function showWindow(window: NonNullable<NotifyConfig['routes'][number]['during']>[number]): string {
  const { days, fromMinute, toMinute, timeZone } = window;
  return `${days.join(' ')} ${clock(fromMinute)}–${clock(toMinute)} ${timeZone}`;
}

function clock(minute: number): string {
  return `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
}
