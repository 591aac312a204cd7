import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseStrictJson, type StrictJsonRejection } from './parse-strict-json.ts';

const encode = (text: string) => new TextEncoder().encode(text);
const parse = (text: string) => parseStrictJson(encode(text));
const reasonOf = (text: string): StrictJsonRejection | 'accepted' => {
  const result = parse(text);
  return result.ok ? 'accepted' : result.reason;
};

/** Strings of the characters that a hand-written scanner gets wrong. */
const trickyText = fc.string({
  unit: fc.constantFrom(':', '"', '\\', '{', '}', '[', ']', ',', 'a', ' ', '\n', '\u2028', 'é', '😀', '\\u0061'),
  maxLength: 12,
});
const leaf = fc.oneof(trickyText, fc.integer(), fc.boolean(), fc.constant(null), fc.double({ noNaN: true }));
const nested = (depth: number): fc.Arbitrary<unknown> =>
  depth === 0
    ? leaf
    : fc.oneof(
        leaf,
        fc.array(nested(depth - 1), { maxLength: 3 }),
        fc.dictionary(fc.oneof(trickyText, fc.constant('__proto__')), nested(depth - 1), { maxKeys: 4 }),
      );

const escapeAll = (text: string) =>
  [...Array(text.length).keys()].map((at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');

describe('parseStrictJson', () => {
  it('reads what JSON.parse reads, up to four containers deep, whatever the strings look like', () => {
    fc.assert(
      fc.property(nested(4), fc.constantFrom(undefined, 2, '\t'), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(parse(text)).toEqual({ ok: true, value: JSON.parse(text) });
      }),
    );
  });

  it('never throws, and accepts only what JSON.parse accepts', () => {
    const anyBytes = fc.uint8Array({ maxLength: 64 });
    const jsonLike = fc.string({ unit: fc.constantFrom(...'{}[]":,\\u0a1dD8 \u0000'), maxLength: 40 }).map(encode);
    fc.assert(
      fc.property(fc.oneof(anyBytes, jsonLike), (bytes) => {
        const result = parseStrictJson(bytes);
        if (result.ok) expect(JSON.parse(new TextDecoder().decode(bytes))).toEqual(result.value);
      }),
      { numRuns: 2000 },
    );
  });

  it('rejects a key written twice in one object, at any place and however it is escaped', () => {
    const key = fc.oneof(trickyText, fc.constant('__proto__'), fc.constant('Id'));
    fc.assert(
      fc.property(key, leaf, leaf, fc.boolean(), fc.boolean(), fc.integer({ min: 0, max: 2 }), (...given) => {
        const [name, first, second, escapeFirst, escapeSecond, depth] = given;
        const write = (escaped: boolean) => (escaped ? `"${escapeAll(name)}"` : JSON.stringify(name));
        const members = [
          `${write(escapeFirst)}:${JSON.stringify(first)}`,
          '"between it":[1]',
          `${write(escapeSecond)}:${JSON.stringify(second)}`,
        ];
        const text = `${'['.repeat(depth)}{${members.join(',')}}${']'.repeat(depth)}`;
        expect(reasonOf(text)).toBe('duplicate_key');
      }),
    );
  });

  it('allows the same key in different objects', () => {
    expect(reasonOf('{"a":{"a":{"a":1}},"b":[{"a":1},{"a":2}]}')).toBe('accepted');
  });

  it('keeps __proto__ an ordinary key', () => {
    const result = parse('{"__proto__":{"polluted":true}}');
    expect(result.ok && Object.hasOwn(result.value as object, '__proto__')).toBe(true);
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
    expect(reasonOf('{"__proto__":1,"__proto__":2}')).toBe('duplicate_key');
    expect(reasonOf('{"__proto__":1,"\\u005f_proto__":2}')).toBe('duplicate_key');
  });

  it.each<[StrictJsonRejection, string]>([
    ['empty', ''],
    ['byte_order_mark', '\ufeff{}'],
    ['nul', '{"a":"\u0000"}'],
    ['nul', '\u0000{}'],
    ['nul', '{"a":"\\u0000"}'],
    ['nul', '{"a\\u0000":1}'],
    ['lone_surrogate', '{"a":"\\ud800"}'],
    ['lone_surrogate', '{"a":"\\uDC00\\uD800"}'],
    ['lone_surrogate', '{"\\udfff":1}'],
    ['lone_surrogate', '{"a":["x\\ud83d y"]}'],
    ['too_deep', '[[[[[]]]]]'],
    ['too_deep', '{"a":{"a":{"a":{"a":{}}}}}'],
    ['too_deep', `${'['.repeat(8000)}${']'.repeat(8000)}`],
    ['syntax', ' '],
    ['syntax', '{"a":1,}'],
    ['syntax', '{"a":1} x'],
    ['syntax', "{'a':1}"],
    ['syntax', '{"a":"\n"}'],
  ])('rejects as %s: %j', (reason, text) => {
    expect(parse(text)).toEqual({ ok: false, reason });
  });

  it.each([
    ['an overlong form', [0x22, 0xc0, 0x80, 0x22]],
    ['a surrogate encoded as UTF-8', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['a cut-off sequence', [0x22, 0xe2, 0x82, 0x22]],
    ['a byte that never occurs', [0xff]],
    ['UTF-16', [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]],
  ])('rejects %s as bad UTF-8', (_, bytes) => {
    expect(parseStrictJson(Uint8Array.from(bytes))).toEqual({ ok: false, reason: 'bad_utf8' });
  });

  it('accepts a surrogate pair written as two escapes, and four containers', () => {
    expect(parse('{"a":"\\ud83d\\ude00"}')).toEqual({ ok: true, value: { a: '😀' } });
    expect(reasonOf('[[[[1]]]]')).toBe('accepted');
    expect(parseStrictJson(encode('[[[[[1]]]]]'), 5).ok).toBe(true);
  });
});
