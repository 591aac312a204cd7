import { setTimeout as delay } from 'node:timers/promises';

/** Polls until `condition` holds; false when `timeoutMs` passes first. */
export async function waitUntil(condition: () => boolean, timeoutMs: number, everyMs = 20): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (!condition()) {
    if (performance.now() >= deadline) return false;
    await delay(everyMs);
  }
  return true;
}
