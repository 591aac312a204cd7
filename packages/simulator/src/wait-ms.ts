import { setMaxListeners } from 'node:events';
import type { ServerResponse } from 'node:http';

/**
 * Waits `delayMs` milliseconds; true when the time passed, false when `signal` fired first. Never rejects, leaves no
 * timer behind. A delay of 0 resolves without a timer, so callers that do not wait keep their order.
 */
export function waitMs(delayMs: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false);
  if (delayMs <= 0) return Promise.resolve(true);
  return new Promise((resolve) => {
    const giveUp = () => {
      clearTimeout(timer);
      resolve(false);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', giveUp);
      resolve(true);
    }, delayMs);
    signal.addEventListener('abort', giveUp, { once: true });
  });
}

/** A lifetime many waits can hang on: aborting it ends them all. */
export function createLifetime(): AbortController {
  const lifetime = new AbortController();
  setMaxListeners(0, lifetime.signal);
  return lifetime;
}

/** Waits before answering; false when the client went away first, so that nobody is left to answer. */
export function waitToAnswer(delayMs: number, response: ServerResponse): Promise<boolean> {
  if (response.destroyed) return Promise.resolve(false);
  if (delayMs <= 0) return Promise.resolve(true);
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  return waitMs(delayMs, gone.signal);
}
