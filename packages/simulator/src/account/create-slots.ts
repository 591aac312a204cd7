/** Runs a task when a slot is free. */
export type Slots = <T>(task: () => Promise<T>) => Promise<T>;

/** Lets at most `count` tasks run at once, in the order they asked. */
export function createSlots(count: number): Slots {
  const waiting: (() => void)[] = [];
  let free = count;
  return async (task) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
}
