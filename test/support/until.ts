import { setTimeout as delay } from 'node:timers/promises';

const PAUSE_MS = 25;

/**
 * Asks again and again until the answer is the wanted one, and gives that answer. A question that fails is asked again: what is
 * killed on purpose does not answer for a while. Throws with the last answer, or the last failure, once the time is over.
 */
export async function until<T>(
  what: string,
  ask: () => T | Promise<T>,
  wanted: (answer: T) => boolean,
  timeoutMs = 20_000,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  let last = 'no answer';
  for (;;) {
    try {
      const answer = await ask();
      if (wanted(answer)) return answer;
      last = JSON.stringify(answer) ?? String(answer);
    } catch (error) {
      last = String(error);
    }
    if (performance.now() > deadline)
      throw new Error(`${what}: not within ${timeoutMs} ms; last: ${last.slice(0, 2000)}`);
    await delay(PAUSE_MS);
  }
}
