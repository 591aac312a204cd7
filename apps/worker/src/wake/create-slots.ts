/** A fixed number of places for slow work: one hung destination takes a place, not the room. */
export interface Slots {
  free(): number;
  /** Starts a task in a free place; its failure goes to `onFailure`, and `onFree` is called when it ends. */
  start(task: () => Promise<void>): void;
  /** Resolves when no task is running. */
  idle(): Promise<void>;
}

export function createSlots(limit: number, onFree: () => void, onFailure: (error: unknown) => void): Slots {
  const running = new Set<Promise<void>>();
  return {
    free: () => limit - running.size,
    start(task) {
      const work = task()
        .catch(onFailure)
        .finally(() => {
          running.delete(work);
          onFree();
        });
      running.add(work);
    },
    async idle() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}
