import type { JobsOptions, QueueOptions } from 'bullmq';
import type { Room } from './alarm.ts';
import { JOB_CATALOG } from './job-catalog.ts';

/** BullMQ's own event stream is not read by us; keep it short. */
const KEPT_EVENTS = 100;

export function producerOptions<C>(connection: C): QueueOptions<C> {
  return { connection, streams: { events: { maxLen: KEPT_EVENTS } } };
}

/**
 * Options of one alarm. Finished and failed jobs are removed at once: BullMQ ignores an add whose id still lingers, so a
 * kept one would swallow an alarm.
 */
export function toJobOptions(room: Room, jobId: string, delayMs: number): JobsOptions {
  const { attempts, delayMs: backoffMs } = JOB_CATALOG[room].retry;
  return {
    jobId,
    delay: delayMs,
    attempts,
    backoff: { type: 'exponential', delay: backoffMs, jitter: 0.5 },
    removeOnComplete: true,
    removeOnFail: true,
    stackTraceLimit: 0,
  };
}
