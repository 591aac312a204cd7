import {
  type ClaimedNotification,
  claimNotifications,
  claimRepeats,
  decideDueNotices,
  listChannels,
  noteReviews,
  registerChannels,
} from '@tidegate/store';
import { newId } from '@tidegate/vault';
import { createSlots, type Slots } from '../wake/create-slots.ts';
import type { WorkerContext } from '../worker-context.ts';
import { LEASE_MS, repeatNotification, sendNotification } from './send-notification.ts';

const BATCH = 100;
/** At once to one channel: a channel that hangs takes its own places and nobody else's. */
const PLACES_PER_CHANNEL = 4;
/** Before the channels are registered anew, what became of a config that changed is not decided about. */
const REGISTER_AGAIN_MS = 1000;
const SHOW_EVERY_MS = 10_000;

export interface NotifyRoom {
  /** Decides what is due and starts what can be sent; the end of each sending wakes the room again. */
  run(): Promise<void>;
  /** Sets the gauges, now and then. */
  show(): Promise<void>;
  idle(): Promise<void>;
}

/**
 * Makes the room that tells people: what is to be told is decided in Postgres with its words, and sent from there. It needs no
 * alarm to find its work, and a process that is killed at any moment leaves a row behind that another one takes up.
 */
export function createNotifyRoom(
  context: WorkerContext,
  { onFree, onFailure }: { readonly onFree: () => void; readonly onFailure: (error: unknown) => void },
): NotifyRoom {
  const places = new Map(
    context.config.notify.channels.map(({ name }) => [name, createSlots(PLACES_PER_CHANNEL, onFree, onFailure)]),
  );
  let registered = false;
  let triedAtMs = Number.NEGATIVE_INFINITY;
  let shownAtMs = Number.NEGATIVE_INFINITY;

  async function register(): Promise<boolean> {
    if (registered || performance.now() - triedAtMs < REGISTER_AGAIN_MS) return registered;
    triedAtMs = performance.now();
    const dropped = await registerChannels(context.sql, context.config.notify.channels);
    if (dropped > 0) context.log.warn('notification.dropped', { count: dropped });
    registered = true;
    return true;
  }

  return {
    async run() {
      if (!(await register())) return;
      await noteReviews(context.sql);
      await decideAll(context);
      await startSending(context, places);
      await startRepeating(context, places);
    },
    async show() {
      if (places.size === 0 || performance.now() - shownAtMs < SHOW_EVERY_MS) return;
      shownAtMs = performance.now();
      await showChannels(context);
    },
    async idle() {
      await Promise.all([...places.values()].map((slots) => slots.idle()));
    },
  };
}

async function decideAll({ sql, config, log, metrics }: WorkerContext): Promise<void> {
  const { channels, routes, groupUpdatesMs, pageUrl } = config.notify;
  const rules = { channels: channels.map(({ name }) => name), routes, groupUpdatesMs };
  const serviceSeverities = new Map(config.services.map(({ name, severity }) => [name, severity]));
  for (;;) {
    const { looked, told, unrouted } = await decideDueNotices(sql, BATCH, {
      rules,
      serviceSeverities,
      pageUrl,
      newNotificationId: () => newId('ntf'),
    });
    for (const { id, incident, channel, kind } of told) {
      log.info('notification.decided', { notification: id, incident, channel, kind });
      metrics.count('notify.decided', { kind });
    }
    for (const { incident, severity } of unrouted) {
      log[severity === 'critical' ? 'warn' : 'info']('notification.unrouted', { incident, severity });
      if (severity === 'critical') metrics.count('notify.unrouted', {});
    }
    if (looked < BATCH) return;
  }
}

async function startSending(context: WorkerContext, places: ReadonlyMap<string, Slots>): Promise<void> {
  const free = new Map([...places].map(([name, slots]) => [name, slots.free()]));
  const claimed: ClaimedNotification[] = await claimNotifications(context.sql, free, LEASE_MS);
  for (const notification of claimed) {
    places.get(notification.channel)?.start(() => sendNotification(context, notification));
  }
}

/** Alertmanager forgets what it is not told again. */
async function startRepeating(context: WorkerContext, places: ReadonlyMap<string, Slots>): Promise<void> {
  for (const { name, target } of context.config.notify.channels) {
    const slots = places.get(name);
    if (target?.type !== 'alertmanager' || slots === undefined || slots.free() === 0) continue;
    const due = await claimRepeats(context.sql, { channel: name, everyMs: target.repeatEveryMs, limit: slots.free() });
    for (const repeated of due) slots.start(() => repeatNotification(context, repeated));
  }
}

async function showChannels({ sql, metrics }: WorkerContext): Promise<void> {
  const channels = await listChannels(sql);
  metrics.set(
    'notify.waiting',
    {},
    channels.reduce((sum, { waiting }) => sum + waiting, 0),
  );
  metrics.set(
    'notify.oldest',
    {},
    Math.max(0, ...channels.map(({ oldestWaitingMs }) => (oldestWaitingMs ?? 0) / 1000)),
  );
  metrics.set('notify.failing', {}, channels.filter(({ failures }) => failures > 0).length);
}
