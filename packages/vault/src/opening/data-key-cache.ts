import type { KeyObject } from 'node:crypto';

const MAX_DATA_KEYS = 256;

/**
 * Keeps the `maxDataKeys` most recently used data keys by id. It keeps promises, so that many values under one new data
 * key unwrap it once; a failure is forgotten at once, so that a data key stored a moment later is found.
 */
export function createDataKeyCache(
  fetchDataKey: (id: string) => Promise<KeyObject>,
  maxDataKeys: number = MAX_DATA_KEYS,
): { get(id: string): Promise<KeyObject> } {
  const kept = new Map<string, Promise<KeyObject>>();

  function keepNewest(id: string, key: Promise<KeyObject>): void {
    kept.delete(id);
    kept.set(id, key);
    const [oldest] = kept.keys();
    if (kept.size > maxDataKeys && oldest !== undefined) kept.delete(oldest);
  }

  function fetchAndKeep(id: string): Promise<KeyObject> {
    const key = fetchDataKey(id);
    keepNewest(id, key);
    key.catch(() => {
      if (kept.get(id) === key) kept.delete(id);
    });
    return key;
  }

  return {
    get(id) {
      const known = kept.get(id);
      if (known === undefined) return fetchAndKeep(id);
      keepNewest(id, known);
      return known;
    },
  };
}
