import { type Config, formatDuration, type NotifyConfig } from '@tidegate/runtime';
import { findUntold, HOURS_OF_WEEK, type Untold } from './find-untold.ts';

type Checked = Pick<Config, 'notify' | 'services'>;

/** Channels and routes in effect, without where a channel leads, and the services whose outages reach nobody. */
export function describeNotify(config: Checked, nowMs: number) {
  const { channels, routes, groupUpdatesMs, pageUrl, retry } = config.notify;
  const routed = new Set(routes.flatMap((route) => route.channels));
  return {
    channels: channels.map(({ name, type }) => ({ name, type, routed: routed.has(name) })),
    routes,
    groupUpdatesMs,
    pageUrl,
    retry,
    untold: findUntold(config, nowMs),
  };
}

/** The same for a person. */
export function showNotify(config: Checked, nowMs: number): string[] {
  const { notify } = config;
  const { channels, routes, untold } = describeNotify(config, nowMs);
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
    ...untold.map(showUntold),
  ];
}

function showUntold({ service, severity, hours }: Untold): string {
  const when = hours === HOURS_OF_WEEK ? '' : ` at ${hours} of the ${HOURS_OF_WEEK} hours of a week`;
  return `  warning: nobody is told of ${service} (${severity})${when}`;
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
