import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readRetryAfter } from './retry-after.ts';

const NOW = Date.UTC(2026, 10, 5, 12, 0, 0);
const A_DAY_MS = 86_400_000;

describe('readRetryAfter', () => {
  it.each([
    [{ 'retry-after': '7' }, 7_000],
    [{ 'retry-after': '999999999' }, A_DAY_MS],
    [{ 'retry-after': '9999999999' }, A_DAY_MS],
    [{ 'retry-after': '9'.repeat(400) }, A_DAY_MS],
    [{ 'retry-after': 'Thu, 05 Nov 2026 12:00:30 GMT' }, 30_000],
    [{ 'retry-after': 'Thu, 05 Nov 2026 11:00:00 GMT' }, 0],
    [{ 'retry-after': 'Thu, 05 Nov 2026 20:00:30 GMT', date: 'Thu, 05 Nov 2026 20:00:00 GMT' }, 30_000],
    [{ 'retry-after': 'Thu, 05 Nov 2026 12:00:30 GMT', date: 'nonsense' }, 30_000],
    [{ 'retry-after': '-1' }, null],
    [{ 'retry-after': 'soon' }, null],
    [{}, null],
  ])('reads %j as %j ms', (headers, expected) => {
    expect(readRetryAfter(headers, NOW)).toBe(expected);
  });

  it('is null or within a day, whatever the headers say', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (value, date) => {
        const waitMs = readRetryAfter({ 'retry-after': value, date }, NOW);
        expect(waitMs === null || (waitMs >= 0 && waitMs <= A_DAY_MS)).toBe(true);
      }),
    );
  });
});
