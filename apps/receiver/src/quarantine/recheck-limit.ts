/** A flood of malformed bodies must not keep the workers verifying: one round per source and process in this time. */
const EVERY_MS = 10_000;

/** Decides whether a malformed body of a source may set off a round of verifications; `nowMs` never goes back. */
export function createRecheckLimit(): (sourceId: number, nowMs: number) => boolean {
  const lastMs = new Map<number, number>();
  return (sourceId, nowMs) => {
    if (nowMs - (lastMs.get(sourceId) ?? Number.NEGATIVE_INFINITY) < EVERY_MS) return false;
    lastMs.set(sourceId, nowMs);
    return true;
  };
}
