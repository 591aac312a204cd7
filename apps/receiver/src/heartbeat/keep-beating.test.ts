import { AppError } from '@tidegate/core';
import { createLogger } from '@tidegate/runtime';
import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../../../test/support/until.ts';
import { verifies } from '../../../../test/support/verifies.ts';
import { type Beating, type BeatOptions, keepBeating } from './keep-beating.ts';

let beating: Beating | null = null;
afterEach(async () => {
  await beating?.stop();
  beating = null;
});

const away = () => new AppError({ code: 'store_unavailable', publicMessage: 'Away.', retryable: true });

/** A receiver whose state the test sets; counts its beats. */
function start(changes: Partial<BeatOptions> = {}) {
  const seen = { beats: 0, turns: 0, whole: true, fatal: [] as unknown[] };
  beating = keepBeating({
    async catchUp() {
      seen.turns += 1;
      return seen.whole;
    },
    async beat() {
      seen.beats += 1;
    },
    isFatal: () => false,
    onFatal: (error) => void seen.fatal.push(error),
    log: createLogger({ app: 'receiver', level: 'silent' }),
    ...changes,
  });
  return seen;
}

const more = (read: () => number) => {
  const before = read();
  return until('another', read, (now) => now > before);
};

describe('the beats of a receiver', () => {
  it(verifies('I1.spool', 'are sent while nothing is kept back, and never else'), async () => {
    const seen = start();
    await more(() => seen.beats);
    await more(() => seen.beats);
    seen.whole = false;
    // The turn that may be under way ends.
    await more(() => seen.turns);
    const { beats } = seen;
    for (let turn = 0; turn < 4; turn += 1) await more(() => seen.turns);
    expect(seen.beats).toBe(beats);
    seen.whole = true;
    await more(() => seen.beats);
  });

  it('go on after one that hangs and after failures', async () => {
    let tries = 0;
    start({
      beat() {
        tries += 1;
        if (tries === 1) return new Promise(() => undefined);
        return tries === 2 ? Promise.reject(away()) : Promise.resolve();
      },
    });
    await until(
      'it beats on',
      () => tries,
      (now) => now > 3,
    );
  });

  it('report what waiting does not mend', async () => {
    const seen = start({ catchUp: () => Promise.reject(away()), isFatal: (error) => error instanceof AppError });
    await until(
      'it is told',
      () => seen.fatal.length,
      (count) => count > 0,
    );
    expect(seen.beats).toBe(0);
  });

  it('end when told to, also while one hangs', async () => {
    let begun = false;
    start({
      beat() {
        begun = true;
        return new Promise(() => undefined);
      },
    });
    await until(
      'one hangs',
      () => begun,
      (value) => value,
    );
    const startedAt = performance.now();
    await beating?.stop();
    expect(performance.now() - startedAt).toBeLessThan(4000);
  });
});
