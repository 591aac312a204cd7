import { type ChannelRow, listChannels, listNotifications, type NotificationRow } from '@tidegate/store';
import { withStore } from '../keys/with-store.ts';
import { say } from '../output/say.ts';

export interface ListNotifyFlags {
  readonly channel?: string;
  readonly limit: number;
  readonly cursor?: string;
  readonly json?: boolean;
}

/** `tidegate notify list`: the channels that the worker knows, and the newest of the ledger. */
export async function listNotify({ channel, limit, cursor, json }: ListNotifyFlags): Promise<void> {
  await withStore(async (sql) => {
    const all = await listChannels(sql);
    const channels = channel === undefined ? all : all.filter(({ name }) => name === channel);
    const filter = {
      state: null,
      channel: channel ?? null,
      incident: null,
      services: null,
      cursor: cursor ?? null,
      limit,
    };
    const { items, nextCursor } = await listNotifications(sql, filter);
    if (json) {
      say(JSON.stringify({ channels, items, nextCursor }));
      return;
    }
    for (const one of channels) showChannel(one);
    if (channels.length === 0)
      say(
        all.length === 0
          ? 'Nobody is told of incidents: name channels under notify.channels and start the worker anew.'
          : 'The worker knows no such channel: name it under notify.channels and start the worker anew.',
      );
    if (items.length > 0) say('');
    for (const one of items) showNotification(one);
    if (nextCursor !== null) say(`More: --cursor ${nextCursor}`);
  });
}

function showChannel(row: ChannelRow): void {
  const { name, type, failures, pausedUntil, lastSentAt, lastReason, waiting, givenUp } = row;
  const state = failures > 0 ? `FAILING ${failures} time(s), last: ${lastReason ?? 'unknown'}` : 'fine';
  const parts = [
    lastSentAt === null ? 'never used' : `last sent ${lastSentAt.toISOString()}`,
    `${waiting} waiting`,
    ...(givenUp > 0 ? [`${givenUp} given up within a day`] : []),
    ...(pausedUntil === null ? [] : [`paused until ${pausedUntil.toISOString()}`]),
  ];
  say(`${name.padEnd(16)}  ${type.padEnd(12)}  ${state}; ${parts.join(', ')}`);
}

function showNotification(row: NotificationRow): void {
  const { decidedAt, channel, kind, state, title, reason, status } = row;
  // One that was sent says more only when not everybody got it.
  const why =
    state === 'sent' && reason === 'answered' ? '' : `  (${reason ?? 'waiting'}${status === null ? '' : ` ${status}`})`;
  say(`${decidedAt.toISOString()}  ${channel.padEnd(16)}  ${kind.padEnd(12)}  ${state.padEnd(10)}  ${title}${why}`);
}
