import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRetryAfter } from './parse-retry-after.ts';

const NOW = Date.parse('2026-11-30T00:00:00Z');

describe('parseRetryAfter', () => {
  it('reads seconds', () => {
    fc.assert(
      fc.property(fc.nat(999_999_999), (seconds) => {
        expect(parseRetryAfter(String(seconds), NOW)).toBe(seconds * 1000);
      }),
    );
  });

  it('reads seconds of any number of digits as a long wait, not as none', () => {
    const digits = fc.tuple(fc.constantFrom(...'123456789'), fc.stringMatching(/^[0-9]{9,400}$/));
    fc.assert(
      fc.property(digits, ([first, others]) => {
        expect(parseRetryAfter(first + others, NOW)).toBe(999_999_999_000);
      }),
    );
  });

  it('reads HTTP dates as JavaScript writes them, never answering a negative wait', () => {
    const at = fc.integer({ min: 0, max: Date.parse('9999-12-31T23:59:59Z') / 1000 }).map((second) => second * 1000);
    fc.assert(
      fc.property(at, at, (then, now) => {
        expect(parseRetryAfter(new Date(then).toUTCString(), now)).toBe(Math.max(0, then - now));
      }),
    );
  });

  it.each([
    ['Monday, 30-Nov-26 00:01:00 GMT', 60_000],
    ['Mon Nov 30 00:01:00 2026', 60_000],
    ['Tue Dec  1 00:00:00 2026', 86_400_000],
    ['Sunday, 06-Nov-94 08:49:37 GMT', 0],
    ['Friday, 01-Jan-77 00:00:00 GMT', 0],
    [' 7 ', 7_000],
  ])('reads %j', (text, waitMs) => {
    expect(parseRetryAfter(text, NOW)).toBe(waitMs);
  });

  it.each([
    null,
    undefined,
    '',
    '-1',
    '1.5',
    '1e3',
    'soon',
    'Mon, 31 Feb 2026 00:00:00 GMT',
    'Mon, 30 Nov 2026 24:00:00 GMT',
    'Mon, 30 Nov 2026 00:00:00 UTC',
    'Mon, 30 Nov 2026 00:00:00',
    'Mon, 30 Foo 2026 00:00:00 GMT',
    '2026-11-30T00:00:00Z',
  ])('makes nothing of %j', (text) => {
    expect(parseRetryAfter(text, NOW)).toBeNull();
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const waitMs = parseRetryAfter(text, NOW);
        expect(waitMs === null || waitMs >= 0).toBe(true);
      }),
    );
  });
});
