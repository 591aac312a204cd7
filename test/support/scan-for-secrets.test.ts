import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createScanner, encode } from './scan-for-secrets.ts';

const SECRET = 'tok-7Hq/2+x=_"é~9Zd04bC-kLmN.pQ';

/** How programs write text; what must be found whatever comes before and after it. */
const WRITERS: Record<string, (text: string) => Buffer | string> = {
  'as it is': (text) => text,
  'in hex': (text) => Buffer.from(text).toString('hex'),
  'in upper hex': (text) => Buffer.from(text).toString('hex').toUpperCase(),
  'as bytea of Postgres': (text) => `\\x${Buffer.from(text).toString('hex')}`,
  'in base64': (text) => Buffer.from(text).toString('base64'),
  'in base64url': (text) => Buffer.from(text).toString('base64url'),
  'as a URL component': (text) => encodeURIComponent(text),
  'as a form': (text) => new URLSearchParams({ a: text }).toString(),
  'percent-encoded throughout': (text) =>
    [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
  'in JSON': (text) => JSON.stringify({ a: text }),
  'in JSON in JSON': (text) => JSON.stringify(JSON.stringify({ a: text })),
  'in JSON, escaped throughout': (text) =>
    [...Array(text.length).keys()].map((at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join(''),
  'in UTF-16': (text) => Buffer.from(text, 'utf16le'),
};

describe('the scanner', () => {
  it.each(Object.entries(WRITERS))('finds a secret written %s, amid anything', (_name, write) => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 40 }),
        fc.uint8Array({ maxLength: 40 }),
        fc.string({ maxLength: 7 }),
        (before, after, beside) => {
          const sink = Buffer.concat([before, Buffer.from(write(`${SECRET}${beside}`)), after]);
          expect(createScanner({ it: SECRET })('sink', sink)).not.toEqual([]);
        },
      ),
    );
  });

  it.each([0, 1, 2, 3, 4, 5])('finds it in base64 %i bytes into what was encoded', (shift) => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: shift, maxLength: shift }),
        fc.uint8Array({ maxLength: 9 }),
        (head, tail) => {
          const bytes = Buffer.concat([head, Buffer.from(SECRET), tail]);
          const scan = createScanner({ it: SECRET });
          expect(scan('sink', bytes.toString('base64')).map(({ secret }) => secret)).toContain('it');
          expect(scan('sink', bytes.toString('base64url')).map(({ secret }) => secret)).toContain('it');
        },
      ),
    );
  });

  it('finds either half alone', () => {
    const scan = createScanner({ it: SECRET });
    const middle = SECRET.length >> 1;
    expect(scan('sink', `x${SECRET.slice(0, middle)}`)).not.toEqual([]);
    expect(scan('sink', `${SECRET.slice(middle)}x`)).not.toEqual([]);
  });

  it('says which secret it found, how it was written and where', () => {
    const scan = createScanner({ one: 'abcdefghijkl', two: 'mnopqrstuvwx' });
    expect(scan('log', 'xx mnopqrstuvwx')).toEqual([{ secret: 'two', sink: 'log', encoding: 'raw', offset: 3 }]);
  });

  it('finds nothing where nothing is', () => {
    const scan = createScanner({ it: SECRET });
    for (let round = 0; round < 20; round += 1) expect(scan('noise', randomBytes(200_000))).toEqual([]);
    expect(scan('empty', '')).toEqual([]);
    expect(scan('cut off', SECRET.slice(0, 10))).toEqual([]);
  });

  it('refuses a secret that would be found by chance', () => {
    expect(() => createScanner({ it: 'short' })).toThrow('by chance');
  });

  it('knows every writing once', () => {
    const written = Object.values(encode(Buffer.from(SECRET))).map((bytes) => bytes.toString('latin1'));
    expect(new Set(written).size).toBe(written.length);
    expect(written.every((text) => text.length >= 12)).toBe(true);
  });
});
