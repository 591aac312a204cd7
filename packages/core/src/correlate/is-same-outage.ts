/**
 * Whether what begins at `firstAt` is the outage that ended at `resolvedAt` once more: it began less than `reopenWithin`
 * after that end. A debounce that was under way at that end began before it, which is no time after it; a `reopenWithin` of
 * 0 never reopens. Times in epoch ms.
 */
export function isSameOutage(firstAt: number, resolvedAt: number, reopenWithinMs: number): boolean {
  return Math.max(0, firstAt - resolvedAt) < reopenWithinMs;
}
