/**
 * Joins callers into shared calls. A caller that comes while a call is in flight gets the next one, never the current:
 * its answer must have been asked for after the caller came (a verification counts evidence from its own start on).
 */
export function shareCall<T>(call: () => Promise<T>): () => Promise<T> {
  let current: Promise<T> | null = null;
  let next: Promise<T> | null = null;

  function start(): Promise<T> {
    const started = call();
    current = started;
    const end = () => {
      if (current === started) current = null;
    };
    started.then(end, end);
    return started;
  }

  return () => {
    if (current === null && next === null) return start();
    next ??= Promise.resolve(current)
      .catch(() => undefined)
      .then(() => {
        next = null;
        return start();
      });
    return next;
  };
}
