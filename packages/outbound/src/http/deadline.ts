import { setMaxListeners } from 'node:events';

/** What ended the time of an exchange. */
export type DeadlineCause = 'timeout' | 'aborted';

/** One limit over everything an exchange does: lookup, connect, handshake, headers, body. */
export interface Deadline {
  /** Resolves when the time is over; never rejects, and stays open after `stop`. */
  readonly hit: Promise<DeadlineCause>;
  cause(): DeadlineCause | null;
  remainingMs(): number;
  abort(): void;
  /** Frees the timer and the listener. */
  stop(): void;
}

/** Node fires a longer timer at once. */
const LONGEST_TIMER_MS = 2_147_483_647;

/** Starts the clock. `timeoutMs` counts from now, on monotonic time; an already aborted signal ends it at once. */
export function startDeadline(timeoutMs: number, signal?: AbortSignal): Deadline {
  const endsAt = performance.now() + timeoutMs;
  let cause: DeadlineCause | null = null;
  let announce: (cause: DeadlineCause) => void = () => {};
  const hit = new Promise<DeadlineCause>((resolve) => {
    announce = resolve;
  });
  const end = (why: DeadlineCause) => {
    cause ??= why;
    announce(cause);
  };
  const abort = () => end('aborted');
  const timer = setTimeout(() => end('timeout'), Math.min(Math.max(timeoutMs, 0), LONGEST_TIMER_MS));
  const stop = () => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  };
  if (signal !== undefined) {
    // One shutdown signal is shared by every request in flight; more than ten of them is no leak.
    setMaxListeners(0, signal);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
  }
  return { hit, cause: () => cause, remainingMs: () => Math.max(endsAt - performance.now(), 0), abort, stop };
}
