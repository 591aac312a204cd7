/**
 * A signal for a command that goes on until somebody ends it: aborted at the first SIGINT or SIGTERM, and when whoever read its
 * output has gone. `stop` takes the listeners away again.
 */
export function untilInterrupted(): { readonly signal: AbortSignal; stop(): void } {
  const interrupted = new AbortController();
  const abort = () => interrupted.abort();
  process.on('SIGINT', abort);
  process.on('SIGTERM', abort);
  process.stdout.on('error', abort);
  return {
    signal: interrupted.signal,
    stop() {
      process.off('SIGINT', abort);
      process.off('SIGTERM', abort);
      process.stdout.off('error', abort);
    },
  };
}
