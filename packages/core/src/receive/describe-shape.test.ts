import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/support/verifies.ts';
import { describeShape } from './describe-shape.ts';

describe('the shape of a date', () => {
  it.each([
    ['2026-11-30T01:02:03.1234567Z', '9999-99-99T99:99:99.9999999Z'],
    ['2026-11-30T01:02:03+02:00', '9999-99-99T99:99:99+99:99'],
    ['11/30/2026 1:02:03 AM', '99/99/9999 9:99:99 AA'],
    ['', ''],
  ])('%j is %j', (text, shape) => expect(describeShape(text)).toBe(shape));

  it(verifies('I3', 'holds nothing of the value, whatever it is'), () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        expect(describeShape(text)).toMatch(/^[-:.+ /TZ9A?]{0,80}…?$/u);
      }),
    );
  });
});
