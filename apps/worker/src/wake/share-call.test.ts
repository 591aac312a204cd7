import { describe, expect, it } from 'vitest';
import { shareCall } from './share-call.ts';

/** Calls that last until they are told to end, numbered, and time that stands still until it is moved. */
function makeCalls() {
  const ends: ((failure?: Error) => void)[] = [];
  const rests: { ms: number; end: () => void }[] = [];
  const time = { nowMs: 0 };
  const shared = shareCall(
    () =>
      new Promise<number>((resolve, reject) => {
        const number = ends.length + 1;
        ends.push((failure) => (failure ? reject(failure) : resolve(number)));
      }),
    { nowMs: () => time.nowMs, rest: (ms) => new Promise<void>((end) => rests.push({ ms, end })) },
  );
  /** Lets everything happen that waits for nothing but its turn. */
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return { shared, ends, rests, time, settle };
}

describe('a shared call', () => {
  it('answers nobody with what was asked before they came, and all who wait at once', async () => {
    const { shared, ends, rests, settle } = makeCalls();
    const first = shared();
    const others = [shared(), shared(), shared()];
    expect(ends).toHaveLength(1);
    ends[0]?.();
    await settle();
    rests[0]?.end();
    await settle();
    const late = shared();
    ends[1]?.();
    expect(await first).toBe(1);
    expect(await Promise.all(others)).toEqual([2, 2, 2]);
    await settle();
    rests[1]?.end();
    await settle();
    ends[2]?.();
    expect(await late).toBe(3);
  });

  it('is made again after one that failed', async () => {
    const { shared, ends, rests, settle } = makeCalls();
    const first = shared();
    const second = shared();
    ends[0]?.(new Error('no'));
    await expect(first).rejects.toThrow('no');
    await settle();
    rests[0]?.end();
    await settle();
    ends[1]?.();
    expect(await second).toBe(2);
  });

  it('lets callers gather for as long as the last one took, thrice, and two seconds at most', async () => {
    const { shared, ends, rests, time, settle } = makeCalls();
    for (const [tookMs, restMs] of [
      [100, 300],
      [60_000, 2000],
    ] as const) {
      const call = ends.length;
      const first = shared();
      time.nowMs += tookMs;
      ends[call]?.();
      await first;
      const gathered = [shared(), shared()];
      await settle();
      gathered.push(shared());
      expect([ends.length, rests.at(-1)?.ms]).toEqual([call + 1, restMs]);
      rests.at(-1)?.end();
      await settle();
      ends[call + 1]?.();
      expect(await Promise.all(gathered)).toEqual([call + 2, call + 2, call + 2]);
      time.nowMs += 10_000;
    }
  });

  it('makes nobody wait who comes after that', async () => {
    const { shared, ends, rests, time } = makeCalls();
    const first = shared();
    time.nowMs = 100;
    ends[0]?.();
    await first;
    time.nowMs = 400;
    const second = shared();
    ends[1]?.();
    expect(await second).toBe(2);
    expect(rests).toHaveLength(0);
  });
});
