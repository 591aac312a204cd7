import { AppError } from '@tidegate/core';

interface Waiting<Item, Answer> {
  readonly item: Item;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Joins calls into batches: those that come while one is in flight share the next; no timer waits for company. A batch that is
 * refused for good, and not because the database is away, is asked again one by one, so that nobody fails for another's sake.
 * @param run answers one for each item, in their order
 */
export function createBatcher<Item, Answer>(
  run: (items: readonly Item[]) => Promise<readonly Answer[]>,
  largest: number,
): (item: Item) => Promise<Answer> {
  let waiting: Waiting<Item, Answer>[] = [];
  let busy = false;

  async function runBatch(batch: readonly Waiting<Item, Answer>[]): Promise<void> {
    try {
      const answers = await run(batch.map(({ item }) => item));
      if (answers.length !== batch.length) throw new Error('a batch was not answered one by one');
      for (const [index, answer] of answers.entries()) batch[index]?.resolve(answer);
    } catch (error) {
      if (batch.length > 1 && !isRetryable(error)) for (const one of batch) await runBatch([one]);
      else for (const { reject } of batch) reject(error);
    }
  }

  async function drain(): Promise<void> {
    busy = true;
    while (waiting.length > 0) {
      const batch = waiting.slice(0, largest);
      waiting = waiting.slice(largest);
      await runBatch(batch);
    }
    busy = false;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!busy) void drain();
    });
}

/** Whether the same call may succeed later. */
export function isRetryable(error: unknown): boolean {
  return error instanceof AppError && error.retryable;
}
