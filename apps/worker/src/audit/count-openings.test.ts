import { describe, expect, it } from 'vitest';
import { createOpeningCounter } from './count-openings.ts';

function start(save: (counts: ReadonlyMap<string, number>) => Promise<void>) {
  const failures: unknown[] = [];
  const counter = createOpeningCounter({ save, everyMs: 3_600_000, onFailed: (error) => failures.push(error) });
  return { counter, failures };
}

describe('the counter of openings', () => {
  it('adds up by purpose, and hands each opening over once', async () => {
    const saved: [string, number][][] = [];
    const { counter } = start(async (counts) => void saved.push([...counts]));
    for (const purpose of ['callback-url', 'callback-url', 'signing-secret']) counter.onOpened(purpose);
    await counter.flush();
    await counter.flush();
    counter.onOpened('callback-url');
    await counter.stop();
    expect(saved).toEqual([
      [
        ['callback-url', 2],
        ['signing-secret', 1],
      ],
      [['callback-url', 1]],
    ]);
  });

  it('keeps what could not be saved for the next time', async () => {
    let down = true;
    let total = 0;
    const { counter, failures } = start(async (counts) => {
      if (down) throw new Error('the store is away');
      for (const count of counts.values()) total += count;
    });
    counter.onOpened('callback-url');
    await counter.flush();
    counter.onOpened('callback-url');
    await counter.flush();
    down = false;
    await counter.stop();
    expect([total, failures.length]).toEqual([2, 2]);
  });
});
