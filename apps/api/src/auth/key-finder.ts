import type { ApiKeyRow } from '@tidegate/store';

/** A key that was found is taken as live for this long, so a revoked one works two seconds more at most. */
export const REMEMBER_MS = 2000;
const MOST_REMEMBERED = 1000;

export interface KeyFinder {
  /** The live key, or null. Throws as the store does. */
  find(key: string): Promise<ApiKeyRow | null>;
}

interface Remembered {
  readonly untilMs: number;
  readonly row: Promise<ApiKeyRow | null>;
}

/**
 * Finds API keys by their keyed hash. A key that was not found is looked up again the next time, so that one just made
 * works at once.
 * @param options `nowMs`: a clock that never goes back
 */
export function createKeyFinder(options: {
  readonly hash: (key: string) => Buffer;
  readonly lookUp: (hash: Buffer) => Promise<ApiKeyRow | null>;
  readonly nowMs: () => number;
}): KeyFinder {
  const remembered = new Map<string, Remembered>();

  function remember(name: string, entry: Remembered): void {
    remembered.delete(name);
    remembered.set(name, entry);
    const [oldest] = remembered.keys();
    if (remembered.size > MOST_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
  }

  return {
    async find(key) {
      const hash = options.hash(key);
      const name = hash.toString('base64');
      const known = remembered.get(name);
      if (known !== undefined && options.nowMs() < known.untilMs) return known.row;
      const entry = { untilMs: options.nowMs() + REMEMBER_MS, row: options.lookUp(hash) };
      remember(name, entry);
      const forget = () => {
        if (remembered.get(name) === entry) remembered.delete(name);
      };
      try {
        const row = await entry.row;
        if (row === null) forget();
        return row;
      } catch (error) {
        forget();
        throw error;
      }
    },
  };
}
