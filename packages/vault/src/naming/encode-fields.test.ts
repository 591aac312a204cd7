import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeFields } from './encode-fields.ts';

/** Any UTF-16 text, lone surrogates, NUL and separators included. */
const anyText = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.constantFrom(0, 1, 0xd800, 0xfffd)))
  .map((units) => {
    return String.fromCharCode(...units);
  });

describe('encodeFields', () => {
  it('gives two different lists two different encodings', () => {
    fc.assert(
      fc.property(fc.array(anyText, { maxLength: 5 }), fc.array(anyText, { maxLength: 5 }), (left, right) => {
        const same = left.length === right.length && left.every((field, index) => field === right[index]);
        expect(Buffer.from(encodeFields(left)).equals(encodeFields(right))).toBe(same);
      }),
      { numRuns: 2_000 },
    );
  });

  it('keeps lists apart that differ only in where one field ends', () => {
    fc.assert(
      fc.property(anyText, fc.nat(), fc.nat(), (text, first, second) => {
        const [a, b] = [first % (text.length + 1), second % (text.length + 1)];
        const left = Buffer.from(encodeFields([text.slice(0, a), text.slice(a)]));
        expect(left.equals(encodeFields([text.slice(0, b), text.slice(b)]))).toBe(a === b);
      }),
    );
  });

  it('can be read back field by field', () => {
    fc.assert(
      fc.property(fc.array(anyText), (fields) => {
        expect(decodeFields(encodeFields(fields))).toEqual(fields);
      }),
    );
  });

  it('encodes fields longer than its shared buffer, and leaves that buffer usable', () => {
    const long = 'x'.repeat(100_000);
    expect(decodeFields(encodeFields([long, 'a']))).toEqual([long, 'a']);
    expect(decodeFields(encodeFields(['a', 'b']))).toEqual(['a', 'b']);
  });
});

function decodeFields(encoded: Buffer): string[] {
  const fields: string[] = [];
  for (let at = 0; at < encoded.length; ) {
    const end = at + 4 + encoded.readUInt32BE(at);
    fields.push(encoded.toString('utf16le', at + 4, end));
    at = end;
  }
  return fields;
}
