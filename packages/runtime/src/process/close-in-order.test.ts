import { describe, expect, it } from 'vitest';
import { closeInOrder } from './close-in-order.ts';

describe('closing in order', () => {
  it('runs one step after the other, also after one that threw', async () => {
    const done: string[] = [];
    const outcome = await closeInOrder(
      [
        () => new Promise((resolve) => setImmediate(() => resolve(void done.push('listener')))),
        () => Promise.reject(Object.assign(new Error('canary'), { code: 'ECONNRESET' })),
        () => void done.push('store'),
      ],
      1000,
    );
    expect(done).toEqual(['listener', 'store']);
    expect(outcome).toEqual({ failures: ['ECONNRESET'], timedOut: false });
  });

  it('gives up when the time for all of them is over', async () => {
    const outcome = await closeInOrder([() => new Promise(() => undefined)], 20);
    expect(outcome).toEqual({ failures: [], timedOut: true });
  });
});
