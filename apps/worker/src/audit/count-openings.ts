/** Counts what is opened, and hands the counts on from time to time. */
export interface OpeningCounter {
  /** For the opener: called for every value, before it is handed out. */
  onOpened(purpose: string): void;
  /** Hands over what was counted since; counts that cannot be saved are kept for the next time. */
  flush(): Promise<void>;
  /** Hands over the rest. */
  stop(): Promise<void>;
}

/**
 * Machines open sealed values all the time: one audit row each would drown what people do, so they are added up by purpose
 * (DESIGN §4). A worker that is killed loses the counts of its last `everyMs`.
 * @param save adds counts to what is stored
 */
export function createOpeningCounter(options: {
  readonly save: (counts: ReadonlyMap<string, number>) => Promise<void>;
  readonly everyMs: number;
  readonly onFailed: (error: unknown) => void;
}): OpeningCounter {
  let counts = new Map<string, number>();
  let saving: Promise<void> = Promise.resolve();

  async function save(): Promise<void> {
    const taken = counts;
    if (taken.size === 0) return;
    counts = new Map();
    try {
      await options.save(taken);
    } catch (error) {
      for (const [purpose, count] of taken) counts.set(purpose, (counts.get(purpose) ?? 0) + count);
      options.onFailed(error);
    }
  }

  function flush(): Promise<void> {
    saving = saving.then(save);
    return saving;
  }

  const timer = setInterval(() => void flush(), options.everyMs);
  return {
    onOpened(purpose) {
      counts.set(purpose, (counts.get(purpose) ?? 0) + 1);
    },
    flush,
    stop() {
      clearInterval(timer);
      return flush();
    },
  };
}
