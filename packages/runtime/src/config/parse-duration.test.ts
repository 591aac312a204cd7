import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDuration, parseDuration } from './parse-duration.ts';

const durationMs = fc.integer({ min: 0, max: 2 ** 31 - 1 });

describe('a duration', () => {
  it('comes back from its own text', () => {
    fc.assert(
      fc.property(durationMs, (ms) => {
        expect(parseDuration(formatDuration(ms))).toBe(ms);
      }),
    );
  });

  it.each([
    ['ms', 1],
    ['s', 1000],
    ['m', 60_000],
    ['h', 3_600_000],
  ])('in %s is a multiple of %d ms', (unit, unitMs) => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 500 }), (n) => {
        expect(parseDuration(`${n}${unit}`)).toBe(n * unitMs);
      }),
    );
  });

  it.each([
    ['1.5s', 1500],
    ['0.25m', 15_000],
    ['0.001s', 1],
    ['0s', 0],
  ])('may have a fraction of whole milliseconds: %s', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each([
    '',
    '5',
    's',
    '-1s',
    '1.5ms',
    '0.0001s',
    '5 s',
    '5S',
    '1d',
    '1e3s',
    '25d',
    '600h',
    '999999999h',
    '5s ',
    '٥s',
  ])('is not %j', (text) => {
    expect(parseDuration(text)).toBeNull();
  });

  it('is never read out of other text, and is always a whole number a timer can hold', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const ms = parseDuration(text);
        expect(ms === null || (Number.isInteger(ms) && ms >= 0 && ms < 2 ** 31)).toBe(true);
      }),
    );
  });
});
