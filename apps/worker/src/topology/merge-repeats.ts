/**
 * One item for each id of a list of API v2, in the order of their first. Of what several say of one id, `false` holds against
 * `true`, as Disconnected wins a tie everywhere, and anything holds against silence; else the first one counts.
 */
export function mergeRepeats<T extends object>(items: readonly T[], idOf: (item: T) => string): T[] {
  const merged = new Map<string, T>();
  for (const item of items) {
    const before = merged.get(idOf(item));
    merged.set(idOf(item), before === undefined ? item : merge(before, item));
  }
  return [...merged.values()];
}

function merge<T extends object>(first: T, second: T): T {
  const worse = Object.entries(second).filter(([key, value]) => {
    const before: unknown = Reflect.get(first, key);
    return before === null || (before === true && value === false);
  });
  return { ...first, ...Object.fromEntries(worse) };
}
