import type { Log, LogFields } from '@tidegate/runtime';

/** While the store is away every caller fails alike: one line a second says so, and no more. */
const PAUSE_MS = 1000;

/** Logs answers of 500 and above, by code and route alone: a mistake of ours as an error, an absence as a warning. */
export function failureLogger(log: Log): (failure: LogFields<'request.failed'> & { readonly status: number }) => void {
  let quietUntilMs = 0;
  return (failure) => {
    if (failure.status < 500) return;
    if (failure.status !== 503) return log.error('request.failed', failure);
    const nowMs = performance.now();
    if (nowMs < quietUntilMs) return;
    quietUntilMs = nowMs + PAUSE_MS;
    log.warn('request.failed', failure);
  };
}
