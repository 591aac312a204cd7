import { errorCode } from '../log/clean-field.ts';

export type CloseStep = () => Promise<void> | void;

/** What went wrong while closing: codes of the steps that threw, and whether the time ran out before the last one. */
export interface CloseOutcome {
  readonly failures: readonly string[];
  readonly timedOut: boolean;
}

/**
 * Runs the steps one after the other, the next one also after one that threw, and gives up waiting once `timeoutMs` is
 * over for all of them together. Never rejects.
 */
export async function closeInOrder(steps: readonly CloseStep[], timeoutMs: number): Promise<CloseOutcome> {
  const failures: string[] = [];
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(true), timeoutMs);
  });
  const closed = (async () => {
    for (const step of steps) {
      try {
        await step();
      } catch (error) {
        failures.push(errorCode(error));
      }
    }
    return false;
  })();
  const timedOut = await Promise.race([closed, expired]);
  clearTimeout(timer);
  return { failures, timedOut };
}
