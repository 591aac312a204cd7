import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/support/verifies.ts';
import { canonicalJson } from './canonical-json.ts';

const json = fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' });

/** The same value with the keys of every object in another order. */
function reorder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reorder);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, item]) => [key, reorder(item)])
      .reverse(),
  );
}

describe('canonicalJson', () => {
  it(verifies('I8', 'writes equal payloads alike, in whatever order their keys came'), () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(canonicalJson(reorder(value))).toBe(canonicalJson(value));
      }),
    );
  });

  it(verifies('I8', 'writes different payloads differently'), () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        const [first, second] = [JSON.parse(JSON.stringify(a)), JSON.parse(JSON.stringify(b))];
        const equal = fc.stringify(reorder(sortKeys(first))) === fc.stringify(reorder(sortKeys(second)));
        expect(canonicalJson(a) === canonicalJson(b)).toBe(equal);
      }),
    );
  });

  it('is JSON for the same value', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('matches RFC 8785', () => {
    const value = {
      '\u20ac': 'Euro Sign',
      '\r': 'Carriage Return',
      '\ufb33': 'Hebrew Letter Dalet With Dagesh',
      '1': 'One',
      '\ud83d\ude00': 'Emoji: Grinning Face',
      '\u0080': 'Control',
      '\u00f6': 'Latin Small Letter O With Diaeresis',
    };
    const keys = [...canonicalJson(value).matchAll(/"([^"]*)":/g)].map(([, key]) => key);
    expect(keys).toEqual(['\\r', '1', '\u0080', '\u00f6', '\u20ac', '\ud83d\ude00', '\ufb33']);
    expect(canonicalJson([Number('333333333.33333329'), 1e30, 4.5, 2e-3, 1e-27, -0])).toBe(
      '[333333333.3333333,1e+30,4.5,0.002,1e-27,0]',
    );
  });

  it('leaves out what JSON leaves out, and keeps __proto__', () => {
    expect(canonicalJson({ b: undefined, a: 1 })).toBe('{"a":1}');
    expect(canonicalJson(JSON.parse('{"__proto__":{"b":1,"a":2}}'))).toBe('{"__proto__":{"a":2,"b":1}}');
  });

  it.each([
    ['NaN', Number.NaN],
    ['infinity', [Number.POSITIVE_INFINITY]],
    ['undefined', undefined],
    ['a hole', [undefined]],
    ['a bigint', { a: 1n }],
    ['a date', new Date(0)],
    ['a map', new Map()],
    ['a lone surrogate', 'a\ud800'],
    ['a lone surrogate in a key', { '\udc00': 1 }],
    ['129 containers', JSON.parse(`${'['.repeat(129)}${']'.repeat(129)}`)],
  ])('refuses %s', (_, value) => {
    expect(() => canonicalJson(value)).toThrow(expect.objectContaining({ code: 'payload_not_canonical' }));
  });
});

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sortKeys(Reflect.get(value, key))]),
  );
}
