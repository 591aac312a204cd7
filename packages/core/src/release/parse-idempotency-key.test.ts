import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseIdempotencyKey } from './parse-idempotency-key.ts';

const visible = String.fromCharCode(...Array.from({ length: 94 }, (_, index) => 0x21 + index));
const key = fc
  .string({ unit: fc.constantFrom(...visible), minLength: 1, maxLength: 255 })
  .filter((text) => !text.startsWith('"'));
const quote = (text: string) => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;

describe('parseIdempotencyKey', () => {
  it('reads a key quoted or bare as the same value', () => {
    fc.assert(
      fc.property(key, (text) => {
        expect(parseIdempotencyKey(text)).toEqual({ ok: true, key: text });
        expect(parseIdempotencyKey(quote(text))).toEqual({ ok: true, key: text });
      }),
      { numRuns: 500 },
    );
  });

  it('answers only keys that may be sent on bare and are read back as themselves', () => {
    const header = fc.string({ unit: fc.constantFrom('"', '\\', 'a', ' ', '\t', ';', 'é', '\u0000'), maxLength: 8 });
    fc.assert(
      fc.property(fc.oneof(header, fc.string()), (text) => {
        const result = parseIdempotencyKey(text);
        if (!result.ok) return;
        expect(result.key).toMatch(/^[!-~]{1,255}$/);
        expect(parseIdempotencyKey(result.key)).toEqual(result);
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    [null, 'missing'],
    [undefined, 'missing'],
    ['', 'missing'],
    ['  ', 'missing'],
    ['""', 'malformed'],
    ['"', 'malformed'],
    ['"a', 'malformed'],
    ['"a"b', 'malformed'],
    ['"a";p=1', 'malformed'],
    ['"a\\b"', 'malformed'],
    ['"a b"', 'malformed'],
    ['a b', 'malformed'],
    ['a, b', 'malformed'],
    ['clé', 'malformed'],
    ['a\u0000', 'malformed'],
    ['"\\"x\\""', 'malformed'],
    ['x'.repeat(256), 'too_long'],
    [quote('x'.repeat(256)), 'too_long'],
  ])('rejects %j as %s', (header, problem) => {
    expect(parseIdempotencyKey(header)).toEqual({ ok: false, problem });
  });
});
