/** A flood of bodies that are not understood must not keep the workers verifying: one round per source and process in this time. */
const EVERY_MS = 10_000;

/** Decides whether a body that was not understood may set off a round of verifications. */
export interface RecheckLimit {
  /** @param nowMs of a clock that never goes back */
  take(sourceId: number, nowMs: number): boolean;
  /** A round that was taken did not come about: the next body may set it off. */
  giveBack(sourceId: number): void;
}

export function createRecheckLimit(): RecheckLimit {
  const lastMs = new Map<number, number>();
  return {
    take(sourceId, nowMs) {
      if (nowMs - (lastMs.get(sourceId) ?? Number.NEGATIVE_INFINITY) < EVERY_MS) return false;
      lastMs.set(sourceId, nowMs);
      return true;
    },
    giveBack: (sourceId) => void lastMs.delete(sourceId),
  };
}
