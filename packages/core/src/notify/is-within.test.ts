import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isWithin, type TimeWindow, WEEKDAYS } from './is-within.ts';

const OFFICE: TimeWindow = {
  days: ['mon', 'tue', 'wed', 'thu', 'fri'],
  fromMinute: 9 * 60,
  toMinute: 17 * 60,
  timeZone: 'Europe/Berlin',
};
const NIGHT: TimeWindow = { ...OFFICE, days: ['fri'], fromMinute: 22 * 60, toMinute: 6 * 60 };
const at = (text: string) => Date.UTC(...(text.split(/[-T:]/).map(Number) as [number, number, number, number, number]));
/** Months of `Date.UTC` count from 0. */
const utc = (year: number, month: number, day: number, hour: number, minute = 0) =>
  at([year, month - 1, day, hour, minute].join('-'));

describe('a time window', () => {
  it.each([
    ['nine in winter', utc(2026, 1, 5, 8), true],
    ['a minute before nine in winter', utc(2026, 1, 5, 7, 59), false],
    ['nine in summer', utc(2026, 7, 6, 7), true],
    ['a minute before nine in summer', utc(2026, 7, 6, 6, 59), false],
    ['five in the afternoon is over', utc(2026, 1, 5, 16), false],
    ['a Saturday', utc(2026, 1, 3, 11), false],
  ])('by the wall clock of its zone: %s', (_name, nowMs, within) => {
    expect(isWithin(OFFICE, nowMs)).toBe(within);
  });

  it.each([
    ['Friday evening', utc(2026, 1, 9, 21), true],
    ['Saturday before six', utc(2026, 1, 10, 4, 59), true],
    ['Saturday at six', utc(2026, 1, 10, 5), false],
    ['Friday before six', utc(2026, 1, 9, 4), false],
    ['Saturday evening', utc(2026, 1, 10, 21), false],
    // The clocks go forward from two to three on that Sunday.
    ['after the change to summer time', utc(2026, 3, 29, 3), false],
  ])('past midnight belongs to the day it began on: %s', (_name, nowMs, within) => {
    expect(isWithin(NIGHT, nowMs)).toBe(within);
  });

  it.each([
    ['summer, the first time', utc(2026, 10, 25, 0, 30), true],
    ['winter, the second time', utc(2026, 10, 25, 1, 30), true],
    ['after both', utc(2026, 10, 25, 2), false],
    ['before the hour that does not happen', utc(2026, 3, 29, 0, 59), false],
    ['after it', utc(2026, 3, 29, 1), false],
  ])('is open twice in an hour that happens twice and never in one that is left out: %s', (_name, nowMs, within) => {
    const twoToThree = { ...OFFICE, days: ['sun'] as const, fromMinute: 120, toMinute: 180 };
    expect(isWithin(twoToThree, nowMs)).toBe(within);
  });

  it('and the rest of the week share every instant between them', () => {
    const minute = fc.integer({ min: 0, max: 1439 });
    const zone = fc.constantFrom('UTC', 'Europe/Istanbul', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe');
    fc.assert(
      fc.property(minute, minute, zone, fc.integer({ min: 0, max: 2_000_000_000 }), (from, to, timeZone, second) => {
        fc.pre(from < to);
        const days = WEEKDAYS;
        const inside = isWithin({ days, fromMinute: from, toMinute: to, timeZone }, second * 1000);
        const outside = isWithin({ days, fromMinute: to, toMinute: from, timeZone }, second * 1000);
        expect(inside).toBe(!outside);
      }),
      { numRuns: 1000 },
    );
  });
});
