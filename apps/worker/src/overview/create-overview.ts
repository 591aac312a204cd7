import { GATE_STATES } from '@tidegate/core';
import { ROOMS, type Room } from '@tidegate/queue';
import { type NextDue, readOverview } from '@tidegate/store';
import type { WorkerContext } from '../worker-context.ts';

const SHOW_EVERY_MS = 5000;
const WAITING = ['queued', 'held', 'retrying', 'sending', 'ambiguous', 'needs_review'] as const;
const HANDS = ['held', 'open'] as const;
/** A room is woken each second while something of it is overdue, and a round takes milliseconds. */
const STUCK_AFTER_MS = 60_000;
/** What the store knows: shown no more while it does not answer, since what it knew last is no news. */
const OF_THE_STORE = [
  'gate.gates',
  'gate.hands',
  'correlate.incidents',
  'release.waiting',
  'correlate.oldest',
  'release.oldest',
  'queue.overdue',
  'queue.stalled',
  'gate.silent_receivers',
  'notify.waiting',
  'notify.oldest',
  'notify.failing',
] as const;

/** What the worker shows of itself and of the store. */
export interface Overview {
  /** Takes down that a sweep has ended, and how late each room is. */
  swept(due: NextDue): void;
  /** Takes down that a round of a room has come to its end. */
  ran(room: Room): void;
  /** A room that has had work for a minute and ended no round in it: it hangs, or fails each time. Null while none is. */
  stuckRoom(): Room | null;
  /** Takes down how late an alarm rang. */
  rang(room: Room, dueAtMs: number): void;
  /** Milliseconds since the last sweep that reached the store; since the start before any. */
  sweptAgoMs(): number;
  /** Sets the gauges that the store knows, now and then. */
  show(): Promise<void>;
}

/** Makes the overview. Every worker shows the whole store, so its gauges are to be read as a maximum, never as a sum. */
export function createOverview({ sql, metrics }: Pick<WorkerContext, 'sql' | 'metrics'>): Overview {
  let sweptAtMs = performance.now();
  let shownAtMs = Number.NEGATIVE_INFINITY;
  /** Since when each room has had work that is overdue and ended no round: the later of the two. */
  const waitingSinceMs = new Map<Room, number>();
  const stalledMs = (room: Room) => performance.now() - (waitingSinceMs.get(room) ?? Number.POSITIVE_INFINITY);
  return {
    swept(due) {
      sweptAtMs = performance.now();
      for (const room of ROOMS) {
        const lateMs = due.now.getTime() - (due[room]?.getTime() ?? Number.POSITIVE_INFINITY);
        metrics.set('queue.overdue', { room }, Math.max(0, lateMs) / 1000);
        if (lateMs < 0) waitingSinceMs.delete(room);
        else if (!waitingSinceMs.has(room)) waitingSinceMs.set(room, sweptAtMs);
        metrics.set('queue.stalled', { room }, Math.max(0, stalledMs(room)) / 1000);
      }
    },
    ran(room) {
      waitingSinceMs.delete(room);
    },
    stuckRoom: () => ROOMS.find((room) => stalledMs(room) > STUCK_AFTER_MS) ?? null,
    rang(room, dueAtMs) {
      metrics.observe('queue.lag', { room }, Math.max(0, Date.now() - dueAtMs) / 1000);
    },
    sweptAgoMs: () => performance.now() - sweptAtMs,
    async show() {
      if (performance.now() - shownAtMs < SHOW_EVERY_MS) return;
      shownAtMs = performance.now();
      const { gates, hands, incidents, callbacks, oldestPendingSeconds, oldestHeldSeconds } = await readOverview(
        sql,
      ).catch((error: unknown) => {
        for (const gauge of OF_THE_STORE) metrics.forget(gauge);
        throw error;
      });
      for (const state of GATE_STATES) metrics.set('gate.gates', { state }, gates[state] ?? 0);
      for (const hand of HANDS) metrics.set('gate.hands', { hand }, hands[hand] ?? 0);
      for (const state of ['open', 'acknowledged'] as const) {
        metrics.set('correlate.incidents', { state }, incidents[state] ?? 0);
      }
      for (const state of WAITING) metrics.set('release.waiting', { state }, callbacks[state] ?? 0);
      metrics.set('correlate.oldest', {}, oldestPendingSeconds);
      metrics.set('release.oldest', {}, oldestHeldSeconds);
    },
  };
}
