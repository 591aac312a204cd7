/** A room's loop: however often it is woken, it runs once at a time, and once more if it was woken meanwhile. */
export interface Drain {
  wake(): Promise<void>;
  /** Resolves when the run in flight, if any, has ended; nothing starts after it. */
  stop(): Promise<void>;
}

export function createDrain(run: () => Promise<void>): Drain {
  let current: Promise<void> | null = null;
  let again = false;
  let stopped = false;

  async function loop(): Promise<void> {
    try {
      do {
        again = false;
        await run();
      } while (again && !stopped);
    } finally {
      current = null;
    }
  }

  return {
    wake() {
      if (stopped) return Promise.resolve();
      again = true;
      current ??= loop();
      return current;
    },
    async stop() {
      stopped = true;
      await current?.catch(() => undefined);
    },
  };
}
