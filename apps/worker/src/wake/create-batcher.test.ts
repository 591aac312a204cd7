import { AppError } from '@tidegate/core';
import { describe, expect, it } from 'vitest';
import { createBatcher } from './create-batcher.ts';

const AWAY = new AppError({ code: 'store_unavailable', publicMessage: 'Away.', retryable: true });
const REFUSED = new AppError({ code: 'store_failed', publicMessage: 'Refused.' });

/** A batcher whose runs are noted, and refused where they hold something they are told to refuse. */
function make(largest: number, refusals: ReadonlyMap<string, Error> = new Map()) {
  const runs: (readonly string[])[] = [];
  const ask = createBatcher<string, string>(async (items) => {
    runs.push(items);
    for (const item of items) {
      const refusal = refusals.get(item);
      if (refusal !== undefined) throw refusal;
    }
    return items.map((item) => `${item}!`);
  }, largest);
  const askAll = (...items: string[]) => Promise.allSettled(items.map(ask));
  return { runs, askAll };
}
const fulfilled = (value: string) => ({ status: 'fulfilled', value });
const rejected = (reason: Error) => ({ status: 'rejected', reason });

describe('a batcher', () => {
  it('runs the first at once, those that come meanwhile together, and no more than so many', async () => {
    const { runs, askAll } = make(2);
    expect(await askAll('a', 'b', 'c', 'd')).toEqual(['a!', 'b!', 'c!', 'd!'].map(fulfilled));
    expect(runs).toEqual([['a'], ['b', 'c'], ['d']]);
  });

  it('lets nobody fail for the sake of one that is refused for good', async () => {
    const { askAll } = make(10, new Map([['c', REFUSED]]));
    expect(await askAll('a', 'b', 'c', 'd')).toEqual([
      fulfilled('a!'),
      fulfilled('b!'),
      rejected(REFUSED),
      fulfilled('d!'),
    ]);
  });

  it('does not ask one by one while nobody answers, and goes on with the next', async () => {
    const { runs, askAll } = make(10, new Map([['c', AWAY]]));
    expect(await askAll('a', 'b', 'c')).toEqual([fulfilled('a!'), rejected(AWAY), rejected(AWAY)]);
    expect(runs).toEqual([['a'], ['b', 'c']]);
    expect(await askAll('d')).toEqual([fulfilled('d!')]);
  });
});
