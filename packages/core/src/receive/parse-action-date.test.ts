import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ActionDate, parseActionDate } from './parse-action-date.ts';

const FIRST_MS = new Date('0001-01-02T00:00:00Z').getTime();
const LAST_MS = new Date('9999-12-31T23:59:59Z').getTime();
const pad = (n: number, width: number) => String(n).padStart(width, '0');

/** An exact time with its text, computed by JavaScript's own Date instead of ours. */
const moment = fc
  .record({
    second: fc.integer({ min: Math.floor(FIRST_MS / 1000), max: Math.floor(LAST_MS / 1000) }),
    digits: fc.string({ unit: fc.constantFrom(...'0123456789'), maxLength: 7 }),
    separator: fc.constantFrom('T', ' '),
  })
  .map(({ second, digits, separator }) => {
    const whole = new Date(second * 1000).toISOString().slice(0, 19).replace('T', separator);
    const ticks = BigInt(second) * 10_000_000n + BigInt(digits.padEnd(7, '0'));
    return { text: digits === '' ? whole : `${whole}.${digits}`, ticks };
  });

const dated = (ticks: bigint, zone: 'utc' | 'offset' | 'assumed'): ActionDate => ({ kind: 'dated', ticks, zone });

describe('parseActionDate', () => {
  it('reads every time with Z exactly to 100 ns', () => {
    fc.assert(
      fc.property(moment, ({ text, ticks }) => {
        expect(parseActionDate(`${text}Z`, 'Asia/Tokyo')).toEqual(dated(ticks, 'utc'));
        expect(parseActionDate(text, 'UTC')).toEqual(dated(ticks, 'assumed'));
      }),
      { numRuns: 500 },
    );
  });

  it('subtracts an offset, with or without its colon', () => {
    const offset = fc.record({
      sign: fc.constantFrom('+', '-'),
      minutes: fc.integer({ min: 0, max: 14 * 60 }),
      colon: fc.constantFrom(':', ''),
    });
    fc.assert(
      fc.property(moment, offset, ({ text, ticks }, { sign, minutes, colon }) => {
        const suffix = `${sign}${pad(Math.floor(minutes / 60), 2)}${colon}${pad(minutes % 60, 2)}`;
        const shift = BigInt(minutes) * 600_000_000n;
        expect(parseActionDate(text + suffix, 'UTC')).toEqual(
          dated(sign === '+' ? ticks - shift : ticks + shift, 'offset'),
        );
      }),
    );
  });

  it('orders times of one zone as their texts are ordered', () => {
    fc.assert(
      fc.property(moment, moment, fc.constantFrom('Z', '+02:00', '-0930'), (a, b, suffix) => {
        const full = ({ text }: { text: string }) =>
          `${text.slice(0, 10)}T${text.slice(11, 19)}.${text.slice(20).padEnd(7, '0')}${suffix}`;
        const [x, y] = [parseActionDate(full(a), 'UTC'), parseActionDate(full(b), 'UTC')];
        if (x.kind !== 'dated' || y.kind !== 'dated') throw new Error('both are dates');
        expect(x.ticks < y.ticks).toBe(full(a) < full(b));
      }),
    );
  });

  it('accepts exactly the times that exist', () => {
    const field = (min: number, max: number) => fc.integer({ min, max });
    const fields = fc.tuple(field(1, 9999), field(0, 13), field(0, 32), field(0, 25), field(0, 61), field(0, 61));
    fc.assert(
      fc.property(fields, ([year, month, day, hour, minute, second]) => {
        fc.pre(year !== 1);
        const date = new Date(0);
        date.setUTCFullYear(year, month - 1, day);
        date.setUTCHours(hour, minute, second);
        const exists =
          date.getUTCMonth() === month - 1 &&
          date.getUTCDate() === day &&
          date.getUTCHours() === hour &&
          date.getUTCMinutes() === minute &&
          date.getUTCSeconds() === second;
        const text = `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}T${pad(hour, 2)}:${pad(minute, 2)}:${pad(second, 2)}Z`;
        expect(parseActionDate(text, 'UTC')).toEqual(
          exists ? dated(BigInt(date.getTime()) * 10_000n, 'utc') : { kind: 'undated', why: 'not_a_time' },
        );
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    '2024-02-30T00:00:00Z',
    '2023-02-29T00:00:00Z',
    '1900-02-29T00:00:00Z',
    '2024-01-01T24:00:00Z',
    '2024-01-01T23:60:00Z',
    '2024-01-01T23:59:60Z',
    '0000-01-01T00:00:00Z',
    '2024-01-01T00:00:00+14:01',
    '2024-01-01T00:00:00+02:60',
  ])('knows that %s is no time', (text) => {
    expect(parseActionDate(text, 'UTC')).toEqual({ kind: 'undated', why: 'not_a_time' });
  });

  it.each([
    '0001-01-01T00:00:00',
    '0001-01-01T00:00:00.0000000Z',
    '0001-01-01 00:00:00.0',
    '0001-01-01T02:00:00+02:00',
  ])('takes %s for a date nobody set', (text) => {
    expect(parseActionDate(text, 'Europe/Berlin')).toEqual({ kind: 'undated', why: 'default_value' });
  });

  it.each([
    '',
    'now',
    '2024-01-01',
    '2024-01-01T00:00',
    '2024-01-01T00:00:00.',
    '2024-01-01T00:00:00.12345678Z',
    '2024-01-01T00:00:00,5Z',
    '2024-01-01t00:00:00Z',
    '2024-01-01T00:00:00z',
    '2024-01-01  00:00:00',
    ' 2024-01-01T00:00:00Z',
    '2024-01-01T00:00:00Z\n',
    '2024-01-01T00:00:00 Z',
    '2024-01-01T00:00:00+2',
    '2024-01-01T00:00:00+02',
    '24-01-01T00:00:00Z',
    '+002024-01-01T00:00:00Z',
    '٢٠٢٤-01-01T00:00:00Z',
    '1/2/2024 12:00:00 AM',
    '/Date(1700000000000)/',
  ])('cannot read %j', (text) => {
    expect(parseActionDate(text, 'UTC')).toEqual({ kind: 'undated', why: 'unreadable' });
  });

  it('never throws on any text', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 64 }), (text) =>
        ['dated', 'undated'].includes(parseActionDate(text, 'UTC').kind),
      ),
    );
  });

  it('does not depend on the time zone of the process', () => {
    const before = process.env.TZ;
    const seen = new Set<string>();
    const offsets = new Set<number>();
    for (const zone of ['UTC', 'Asia/Kolkata', 'America/St_Johns']) {
      process.env.TZ = zone;
      offsets.add(new Date(0).getTimezoneOffset());
      const texts = ['2024-03-10T02:30:00', '2024-07-01T12:00:00.5Z', '1999-12-31 23:59:59+01:00'];
      seen.add(
        texts
          .map((text) => parseActionDate(text, 'America/New_York'))
          .map((date) => (date.kind === 'dated' ? String(date.ticks) : date.why))
          .join(),
      );
    }
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
    expect(offsets.size).toBe(3);
    expect(seen.size).toBe(1);
  });
});
