import { type Job, UnrecoverableError, type WorkerOptions } from 'bullmq';
import type { Room } from './alarm.ts';
import type { AlarmHandler, BackendOptions, RunningWorker } from './backend.ts';
import { failureCode } from './failure-code.ts';
import { JOB_CATALOG } from './job-catalog.ts';
import { withDeadline } from './with-deadline.ts';

/** How long a closing worker waits for its running handlers. */
const DRAIN_MS = 5000;
const DISCONNECT_MS = 1000;

/** How long a starting worker waits for its connections: on Redis BullMQ would wait for ever. */
const READY_MS = 4000;

/** A job whose worker died is given to another within two checks of this length after its lock ran out. */
const LOCK_MS = 30_000;
const STALLED_CHECK_MS = 10_000;

export function workerOptions(concurrency: number) {
  return {
    autorun: false,
    concurrency,
    lockDuration: LOCK_MS,
    stalledInterval: STALLED_CHECK_MS,
    maxStalledCount: 3,
    runRetryDelay: 500,
  } satisfies Omit<WorkerOptions, 'connection'>;
}

/** The BullMQ processor of one room. BullMQ stores what a processor throws, so only codes leave it, without a stack (I3). */
export function createProcessor(room: Room, handler: AlarmHandler): (job: Job) => Promise<void> {
  return async (job) => {
    const data = JOB_CATALOG[room].data.safeParse(job.data);
    if (!data.success) {
      throw withoutStack(new UnrecoverableError('alarm_invalid'));
    }
    try {
      await handler(data.data.dueAtMs);
    } catch (error) {
      throw withoutStack(new Error(failureCode(error)));
    }
  };
}

function withoutStack(error: Error): Error {
  error.stack = error.message;
  return error;
}

interface BullWorker {
  waitUntilReady(): Promise<void>;
  run(): Promise<void>;
  close(): Promise<void>;
  disconnect(): Promise<void>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'failed', listener: (job: unknown, error: Error) => void): unknown;
}

/**
 * Starts a BullMQ worker made with `autorun: false`. Resolves once its connections are up; rejects, with everything
 * freed, when they are not. `free` drops what the worker does not own.
 */
export async function runWorker(
  worker: BullWorker,
  room: Room,
  onError: BackendOptions['onError'],
  free: () => Promise<void>,
): Promise<RunningWorker> {
  worker.on('error', (error) => onError({ code: failureCode(error), room }));
  // The processor made this message, so it is a code.
  worker.on('failed', (_job, error) => onError({ code: error.message, room }));
  const abandon = async () => {
    await withDeadline(worker.disconnect(), DISCONNECT_MS).catch(() => undefined);
    await free();
  };
  try {
    await withDeadline(worker.waitUntilReady(), READY_MS);
  } catch (error) {
    await abandon();
    throw error;
  }
  worker.run().catch((error: unknown) => onError({ code: failureCode(error), room }));
  return {
    async close() {
      const drained = withDeadline(worker.close(), DRAIN_MS);
      await drained.then(free, abandon);
    },
  };
}
