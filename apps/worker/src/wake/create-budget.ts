/**
 * A budget of calls in flight per destination, so that a thousand reconnects do not stampede one API or one agent.
 * @param limit calls at once to one key; the rest wait in order
 */
export function createBudget(limit: number): <T>(key: string, call: () => Promise<T>) => Promise<T> {
  const lanes = new Map<string, { running: number; waiting: (() => void)[] }>();

  return async (key, call) => {
    const lane = lanes.get(key) ?? { running: 0, waiting: [] };
    lanes.set(key, lane);
    if (lane.running >= limit) await new Promise<void>((resolve) => lane.waiting.push(resolve));
    else lane.running += 1;
    try {
      return await call();
    } finally {
      // The slot is handed over, not freed: a newcomer cannot overtake those who wait.
      const nextInLine = lane.waiting.shift();
      if (nextInLine !== undefined) nextInLine();
      else {
        lane.running -= 1;
        if (lane.running === 0) lanes.delete(key);
      }
    }
  };
}
