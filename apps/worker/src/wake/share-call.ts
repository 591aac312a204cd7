import { setTimeout as delay } from 'node:timers/promises';

/** After a call that took so long, callers gather for this many times as long, and never longer than the second figure. */
const REST_PER_CALL = 3;
const LONGEST_REST_MS = 2000;

/** Time, for tests to replace. */
interface Pace {
  readonly nowMs: () => number;
  readonly rest: (ms: number) => Promise<unknown>;
}

const REAL_TIME: Pace = { nowMs: () => performance.now(), rest: (ms) => delay(ms) };

/**
 * Joins callers into shared calls. A caller that comes while a call is in flight gets the next one, never the current:
 * its answer must have been asked for after the caller came (a verification counts evidence from its own start on).
 * Between two calls callers gather for a while, by how long the last one took: when a thousand gates are verified at once
 * a list of thousands would else be asked for, and read, without a pause. A lone caller waits for nothing.
 */
export function shareCall<T>(call: () => Promise<T>, { nowMs, rest }: Pace = REAL_TIME): () => Promise<T> {
  let current: Promise<T> | null = null;
  let next: Promise<T> | null = null;
  let restsUntilMs = Number.NEGATIVE_INFINITY;

  function start(): Promise<T> {
    const startedMs = nowMs();
    const started = call();
    current = started;
    const end = () => {
      const endedMs = nowMs();
      restsUntilMs = endedMs + Math.min(LONGEST_REST_MS, REST_PER_CALL * (endedMs - startedMs));
      if (current === started) current = null;
    };
    started.then(end, end);
    return started;
  }

  async function startNext(): Promise<T> {
    await current?.catch(() => undefined);
    await rest(Math.max(0, restsUntilMs - nowMs()));
    next = null;
    return start();
  }

  return () => {
    if (current === null && next === null && nowMs() >= restsUntilMs) return start();
    next ??= startNext();
    return next;
  };
}
