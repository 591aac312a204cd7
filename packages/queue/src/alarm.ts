import { AppError } from '@tidegate/core';
import { z } from 'zod';

/** The rooms that wake up by alarm. */
export const ROOMS = ['correlate', 'verify', 'release', 'notify'] as const;
export type Room = (typeof ROOMS)[number];

/** A request to wake one room at or soon after `dueAtMs` (epoch milliseconds). It names no row and holds no secret. */
export interface Alarm {
  readonly room: Room;
  readonly dueAtMs: number;
}

/** Alarms share buckets of this width, so that a burst of waits costs one job. */
export const BUCKET_MS = 250;

/** A longer wait is cut to this and left to the sweeper: Redis scores of far dates lose precision. */
export const MAX_AHEAD_MS = 30 * 24 * 3_600_000;

const alarmsSchema = z.array(z.object({ room: z.enum(ROOMS), dueAtMs: z.number() }));

/**
 * The bucket an alarm fires in: `dueAtMs` rounded up to a whole bucket, at the earliest the first one after `nowMs`.
 * Strictly in the future, so an alarm set while its room is running is a new job and not swallowed by the running one.
 */
export function bucketOf(dueAtMs: number, nowMs: number): number {
  const next = Math.floor(nowMs / BUCKET_MS) * BUCKET_MS + BUCKET_MS;
  const due = Math.ceil(Math.min(dueAtMs, nowMs + MAX_AHEAD_MS) / BUCKET_MS) * BUCKET_MS;
  return Math.max(due, next);
}

/** The job id of an alarm: one per room and bucket, never a bare integer and without `:`, as BullMQ requires. */
export function alarmId(room: Room, bucketMs: number): string {
  return `${room}-${bucketMs}`;
}

/** The distinct jobs that a list of alarms stands for. Throws AppError `alarm_invalid` on a room or time it cannot use. */
export function bucketAlarms(alarms: readonly Alarm[], nowMs: number): { room: Room; bucketMs: number }[] {
  const parsed = alarmsSchema.safeParse(alarms);
  if (!parsed.success) {
    throw new AppError({ code: 'alarm_invalid', publicMessage: 'An alarm needs a known room and a finite due time.' });
  }
  const jobs = new Map<string, { room: Room; bucketMs: number }>();
  for (const { room, dueAtMs } of parsed.data) {
    const bucketMs = bucketOf(dueAtMs, nowMs);
    jobs.set(alarmId(room, bucketMs), { room, bucketMs });
  }
  return [...jobs.values()];
}
