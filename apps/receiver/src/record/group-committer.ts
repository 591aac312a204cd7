/** Shares commits between requests: what arrives while one is in flight goes into the next; no timer is added. */
export interface GroupCommitter<T, R> {
  /** Resolves with the item's own result once its commit is durable; rejects with the error of `commit`, or when too many wait. */
  submit(item: T): Promise<R>;
  /** Resolves when nothing is waiting or in flight. */
  drained(): Promise<void>;
}

export interface GroupCommitterOptions<T, R> {
  /** Commits a batch and answers one result per item, in order. */
  readonly commit: (batch: readonly T[]) => Promise<readonly R[]>;
  readonly maxBatch: number;
  /** Bound on what may wait; beyond it `onOverload` gives the result or rejects, rather than letting memory grow. */
  readonly maxWaiting: number;
  readonly onOverload: (item: T) => Promise<R>;
}

interface Waiter<T, R> {
  readonly item: T;
  readonly resolve: (result: R) => void;
  readonly reject: (error: unknown) => void;
}

export function createGroupCommitter<T, R>(options: GroupCommitterOptions<T, R>): GroupCommitter<T, R> {
  let waiting: Waiter<T, R>[] = [];
  let running: Promise<void> | null = null;

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = batch.splice(options.maxBatch);
      await settle(batch);
    }
    running = null;
  }

  async function settle(batch: readonly Waiter<T, R>[]): Promise<void> {
    try {
      const results = await options.commit(batch.map((waiter) => waiter.item));
      batch.forEach((waiter, index) => {
        waiter.resolve(results[index] as R);
      });
    } catch (error) {
      for (const waiter of batch) waiter.reject(error);
    }
  }

  return {
    submit(item) {
      if (waiting.length >= options.maxWaiting) return options.onOverload(item);
      return new Promise((resolve, reject) => {
        waiting.push({ item, resolve, reject });
        // Started in a microtask: requests parsed in the same tick of the event loop share the first commit too.
        running ??= Promise.resolve().then(run);
      });
    },
    drained: () => running ?? Promise.resolve(),
  };
}
