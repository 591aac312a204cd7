import type { QueueFailure } from './backend.ts';

const QUIET_MS = 10_000;

/** Passes on a failure unless the same code of the same room was passed on less than ten seconds ago. */
export function limitReports(onError: (failure: QueueFailure) => void): (failure: QueueFailure) => void {
  const lastReportMs = new Map<string, number>();
  return (failure) => {
    const key = `${failure.room}/${failure.code}`;
    const nowMs = performance.now();
    if (nowMs - (lastReportMs.get(key) ?? Number.NEGATIVE_INFINITY) < QUIET_MS) {
      return;
    }
    lastReportMs.set(key, nowMs);
    onError(failure);
  };
}
