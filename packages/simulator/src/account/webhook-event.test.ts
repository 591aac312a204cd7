import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatActionDate, ticksFromMs } from './webhook-event.ts';

const ticks = ticksFromMs(Date.UTC(2026, 10, 30, 0, 45, 12, 34)) + 567n;

describe('ActionDate', () => {
  it('has seven fractional digits and the zone it is asked for', () => {
    expect(formatActionDate(ticks, 'z')).toBe('2026-11-30T00:45:12.0340567Z');
    expect(formatActionDate(ticks, 'offset', 180)).toBe('2026-11-30T03:45:12.0340567+03:00');
    expect(formatActionDate(ticks, 'offset', -570)).toBe('2026-11-29T15:15:12.0340567-09:30');
    expect(formatActionDate(ticks, 'none')).toBe('2026-11-30T00:45:12.0340567');
    expect(formatActionDate(ticks, 'none', 60)).toBe('2026-11-30T01:45:12.0340567');
  });

  it('names the same moment whatever the offset', () => {
    const epochMs = fc.integer({ min: 0, max: Date.UTC(2100, 0, 1) });
    fc.assert(
      fc.property(
        epochMs,
        fc.integer({ min: 0, max: 9_999 }),
        fc.integer({ min: -840, max: 840 }),
        (ms, sub, offset) => {
          const text = formatActionDate(ticksFromMs(ms) + BigInt(sub), 'offset', offset);
          expect(text).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}[+-]\d\d:\d\d$/);
          expect(Date.parse(text)).toBe(ms);
          expect(Number(text.slice(23, 27))).toBe(sub);
        },
      ),
    );
  });
});
