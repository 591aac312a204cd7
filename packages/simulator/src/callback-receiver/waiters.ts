import { SimulatorError } from '../simulator-error.ts';

interface Waiter {
  readonly isDone: () => boolean;
  readonly finish: (error: SimulatorError | null) => void;
}

/** Waits for conditions over changing facts; looks again only when told that something changed. */
export class Waiters {
  readonly #waiting = new Set<Waiter>();

  /** Resolves when `isDone` holds. Rejects with `wait_timed_out` (`describe` says what was there) or `closed`. */
  wait(isDone: () => boolean, timeoutMs: number, describe: () => string): Promise<void> {
    if (isDone()) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const finish = (error: SimulatorError | null) => {
        clearTimeout(timer);
        this.#waiting.delete(waiter);
        if (error) reject(error);
        else resolve();
      };
      const waiter = { isDone, finish };
      const timeOut = () => finish(new SimulatorError('wait_timed_out', `${describe()} within ${timeoutMs} ms.`));
      const timer = setTimeout(timeOut, timeoutMs);
      this.#waiting.add(waiter);
    });
  }

  noteChange(): void {
    for (const waiter of this.#waiting) if (waiter.isDone()) waiter.finish(null);
  }

  close(): void {
    for (const waiter of this.#waiting) {
      waiter.finish(new SimulatorError('closed', 'The callback receiver was closed while something waited for it.'));
    }
  }
}
