import { type PlaceHolder, type PlaceShares, sharePlaces } from '@tidegate/core';

/** A fixed number of places for slow work: one hung destination takes a place, not the room. */
export interface Slots {
  free(): number;
  /** How many more may be started by each destination and each service, after what those hold that run. */
  shares(): PlaceShares;
  /** What runs and has been given a holder. */
  holders(): readonly PlaceHolder[];
  /** Starts a task in a free place; its failure goes to `onFailure`, and `onFree` is called when it ends. */
  start(task: () => Promise<void>, holder?: PlaceHolder): void;
  /** Resolves when no task is running. */
  idle(): Promise<void>;
}

export function createSlots(limit: number, onFree: () => void, onFailure: (error: unknown) => void): Slots {
  const running = new Map<Promise<void>, PlaceHolder | null>();
  const holders = () => [...running.values()].filter((holder) => holder !== null);
  return {
    free: () => limit - running.size,
    shares() {
      const held = holders();
      return sharePlaces(limit - (running.size - held.length), held);
    },
    holders,
    start(task, holder) {
      const work = task()
        .catch(onFailure)
        .finally(() => {
          running.delete(work);
          onFree();
        });
      running.set(work, holder ?? null);
    },
    async idle() {
      while (running.size > 0) await Promise.all(running.keys());
    },
  };
}
