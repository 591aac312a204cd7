import { GATE_STATES } from '@tidegate/core';
import { ROOMS, type Room } from '@tidegate/queue';
import { type NextDue, readOverview } from '@tidegate/store';
import type { WorkerContext } from '../worker-context.ts';

const SHOW_EVERY_MS = 5000;
const WAITING = ['queued', 'held', 'retrying', 'sending', 'ambiguous', 'needs_review'] as const;
const HANDS = ['held', 'open'] as const;

/** What the worker shows of itself and of the store. */
export interface Overview {
  /** Takes down that a sweep has ended, and how late each room is. */
  swept(due: NextDue): void;
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
  return {
    swept(due) {
      sweptAtMs = performance.now();
      for (const room of ROOMS) {
        const lateMs = due.now.getTime() - (due[room]?.getTime() ?? Number.POSITIVE_INFINITY);
        metrics.set('queue.overdue', { room }, Math.max(0, lateMs) / 1000);
      }
    },
    rang(room, dueAtMs) {
      metrics.observe('queue.lag', { room }, Math.max(0, Date.now() - dueAtMs) / 1000);
    },
    sweptAgoMs: () => performance.now() - sweptAtMs,
    async show() {
      if (performance.now() - shownAtMs < SHOW_EVERY_MS) return;
      shownAtMs = performance.now();
      const { gates, hands, incidents, callbacks, oldestPendingSeconds, oldestHeldSeconds } = await readOverview(sql);
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
