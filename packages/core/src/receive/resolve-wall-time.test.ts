import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resolveWallTime } from './resolve-wall-time.ts';

const ZONES = [
  'America/New_York',
  'Europe/Berlin',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Africa/Casablanca',
  'America/St_Johns',
  'Asia/Kathmandu',
  'Etc/GMT+12',
];
const HOUR_MS = 3_600_000;
const wall = (text: string) => Date.parse(`${text}Z`);
const resolve = (text: string, zone: string) => new Date(resolveWallTime(wall(text), zone)).toISOString();

/** The wall time of an instant by another road than the code under test: the Swedish locale writes ISO dates. */
function wallAt(utcMs: number, timeZone: string): number {
  return wall(new Date(utcMs).toLocaleString('sv-SE', { timeZone }).replace(' ', 'T'));
}

const instant = fc.integer({ min: wall('1975-01-01T00:00:00') / 1000, max: wall('2037-01-01T00:00:00') / 1000 });

describe('resolveWallTime', () => {
  it('finds the earliest instant at which the wall showed a time', () => {
    fc.assert(
      fc.property(instant, fc.constantFrom(...ZONES), (second, zone) => {
        const utcMs = second * 1000;
        const found = resolveWallTime(wallAt(utcMs, zone), zone);
        expect(found).toBeLessThanOrEqual(utcMs);
        expect(wallAt(found, zone)).toBe(wallAt(utcMs, zone));
        // A repeated hour is repeated once, so nothing a day earlier or later can show the same wall time.
        expect(utcMs - found).toBeLessThanOrEqual(2 * HOUR_MS);
      }),
      { numRuns: 1000 },
    );
  });

  it('answers the same whatever was asked before', () => {
    const question = fc.record({ second: instant, zone: fc.constantFrom(...ZONES) });
    fc.assert(
      fc.property(fc.array(question, { minLength: 2, maxLength: 8 }), (questions) => {
        const ask = ({ second, zone }: { second: number; zone: string }) => resolveWallTime(second * 1000, zone);
        const backwards = [...questions].reverse().map(ask).reverse();
        expect(questions.map(ask)).toEqual(backwards);
      }),
    );
  });

  it.each([
    ['a fold in autumn', '2024-11-03T01:30:00', 'America/New_York', '2024-11-03T05:30:00.000Z'],
    ['just before the fold', '2024-11-03T00:59:59', 'America/New_York', '2024-11-03T04:59:59.000Z'],
    ['just after the fold', '2024-11-03T02:00:00', 'America/New_York', '2024-11-03T07:00:00.000Z'],
    ['a gap in spring', '2024-03-10T02:30:00', 'America/New_York', '2024-03-10T07:30:00.000Z'],
    ['the first second of a gap', '2024-03-31T02:00:00', 'Europe/Berlin', '2024-03-31T01:00:00.000Z'],
    ['half an hour of gap', '2024-10-06T02:15:00', 'Australia/Lord_Howe', '2024-10-05T15:45:00.000Z'],
    ['half an hour of fold', '2024-04-07T01:45:00', 'Australia/Lord_Howe', '2024-04-06T14:45:00.000Z'],
    ['a day that never was', '2011-12-30T12:00:00', 'Pacific/Apia', '2011-12-30T22:00:00.000Z'],
    ['an old offset with seconds', '1800-01-01T00:00:00', 'Europe/Berlin', '1799-12-31T23:06:32.000Z'],
    ['the first year', '0001-01-02T00:00:00', 'Asia/Kolkata', '0001-01-01T18:06:32.000Z'],
  ])('resolves %s', (_, text, zone, expected) => {
    expect(resolve(text, zone)).toBe(expected);
  });

  it('refuses a time zone that does not exist', () => {
    expect(() => resolveWallTime(0, 'Mars/Olympus')).toThrow(expect.objectContaining({ code: 'time_zone_unknown' }));
  });
});
