import { AppError } from '@tidegate/core';
import type { OpenBackend } from './backend.ts';
import { toQueueError } from './failure-code.ts';

/** After a failed attempt callers get its error at once for this long, so that a dead store is not hammered. */
const HOLD_OFF_MS = 500;

/** The one open backend of a process, opened by whoever needs it first and again after a failure to open. */
export interface BackendLink {
  /** Rejects with AppError `queue_unavailable`, `queue_refused`, `redis_eviction` or, after close, `queue_closed`. */
  open(): Promise<OpenBackend>;
  close(): Promise<void>;
}

export function createBackendLink(openBackend: () => Promise<OpenBackend>): BackendLink {
  let attempt: Promise<OpenBackend> | null = null;
  let failure: { readonly error: AppError; readonly untilMs: number } | null = null;
  let closed = false;

  async function tryOpen(): Promise<OpenBackend> {
    try {
      return await openBackend();
    } catch (error) {
      attempt = null;
      failure = { error: toQueueError(error), untilMs: performance.now() + HOLD_OFF_MS };
      throw failure.error;
    }
  }

  return {
    async open() {
      if (closed) {
        throw new AppError({ code: 'queue_closed', publicMessage: 'The queue is closed.' });
      }
      if (attempt === null && failure !== null && performance.now() < failure.untilMs) {
        throw failure.error;
      }
      attempt ??= tryOpen();
      return attempt;
    },
    async close() {
      closed = true;
      await attempt?.then(
        (backend) => backend.close(),
        () => undefined,
      );
    },
  };
}
