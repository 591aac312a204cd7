import { setTimeout as delay } from 'node:timers/promises';
import type { Room } from '@tidegate/queue';
import { errorCode } from '@tidegate/runtime';
import { correlateRoom } from './correlate/correlate-room.ts';
import { createNotifyRoom } from './notify/notify-room.ts';
import { createOverview, type Overview } from './overview/create-overview.ts';
import { openAccount, watchAccount } from './poll/watch-account.ts';
import { createCircuits } from './release/create-circuits.ts';
import { createFinisher } from './release/create-finisher.ts';
import { createLeaseKeeper } from './release/create-lease-keeper.ts';
import { releaseRoom } from './release/release-room.ts';
import { verifyRoom } from './verify/verify-room.ts';
import { createBudget } from './wake/create-budget.ts';
import { createDrain, type Drain } from './wake/create-drain.ts';
import { createSlots } from './wake/create-slots.ts';
import { sweep } from './wake/sweep.ts';
import type { WorkerContext } from './worker-context.ts';

const SWEEP_EVERY_MS = 1000;
const CONCURRENT_RUNS = 128;
const CONCURRENT_ATTEMPTS = 128;
const CONCURRENT_LOOKUPS = 32;
const ATTEMPT_GRACE_MS = 4000;
const PROBES_PER_DESTINATION = 8;

/**
 * Runs the four rooms: woken by alarms, and by a sweep that needs none. `stop` takes no new work, then calls `onQuiet`,
 * which must end what is still on the wire, and resolves when all of it is written down.
 */
export function runRooms(context: WorkerContext): {
  stop(onQuiet: () => Promise<void>): Promise<void>;
} & Pick<Overview, 'sweptAgoMs' | 'stuckRoom'> {
  const budget = createBudget(PROBES_PER_DESTINATION);
  const account = openAccount(context, budget);
  const noted = (error: unknown) =>
    context.log.warn('store.unavailable', { operation: 'room', code: errorCode(error) });
  const wake = (room: Room) => void drains[room].wake().catch(noted);
  const runs = createSlots(CONCURRENT_RUNS, () => void sweeping.wake().catch(noted), noted);
  const { attempts, lookups } = openPlaces(() => wake('release'), noted);
  const finisher = createFinisher(context);
  const leases = createLeaseKeeper(context);
  const notifying = createNotifyRoom(context, { onFree: () => wake('notify'), onFailure: noted });
  const overview = createOverview(context);
  const drain = (room: Room, run: () => Promise<void>) => createDrain(() => run().then(() => overview.ran(room)));
  const drains: Record<Room, Drain> = {
    correlate: drain('correlate', () => correlateRoom(context)),
    verify: drain('verify', () => verifyRoom({ context, account, budget, slots: runs })),
    release: drain('release', () => releaseRoom({ context, finisher, leases, slots: attempts, lookups })),
    notify: drain('notify', () => notifying.run()),
  };
  const sweeping = createDrain(() => sweep(context, drains, noted).then(overview.swept));
  const polling = watchAccount(context, account, noted);

  const timer = setInterval(() => {
    sweeping.wake().catch(noted);
    polling.wake();
    overview.show().catch(noted);
    notifying.show().catch(noted);
  }, SWEEP_EVERY_MS);
  const consumers = (Object.keys(drains) as Room[]).map((room) =>
    // After the work, a sweep sets the alarm for what is due next: a debounce that was pushed, a retry, a re-check.
    context.queue.consume(
      room,
      (dueAtMs) => {
        overview.rang(room, dueAtMs);
        return drains[room].wake().then(() => sweeping.wake());
      },
      { concurrency: 1 },
    ),
  );
  polling.wake();
  wake('notify');
  return {
    sweptAgoMs: overview.sweptAgoMs,
    stuckRoom: overview.stuckRoom,
    async stop(onQuiet) {
      clearInterval(timer);
      await Promise.all(consumers.map((consumer) => consumer.close()));
      await Promise.all([...Object.values(drains), sweeping, polling].map((drain) => drain.stop()));
      // Attempts get a moment to hear their answer: one cut off is ambiguous for ever. Verifications are simply run again.
      const quiet = Promise.all([attempts.idle(), notifying.idle()]);
      await Promise.race([quiet, delay(ATTEMPT_GRACE_MS, undefined, { ref: false })]);
      await onQuiet();
      await Promise.all([quiet, lookups.slots.idle(), runs.idle()]);
      await leases.stop();
    },
  };
}

/** Places of the release room: whenever one is free again the room is woken. */
function openPlaces(onFree: () => void, onFailure: (error: unknown) => void) {
  return {
    attempts: createSlots(CONCURRENT_ATTEMPTS, onFree, onFailure),
    lookups: { slots: createSlots(CONCURRENT_LOOKUPS, onFree, onFailure), circuits: createCircuits() },
  };
}
