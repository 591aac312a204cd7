import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/support/verifies.ts';
import { publicTunnelId } from './public-tunnel-id.ts';
import { sanitizeName } from './sanitize-name.ts';

/** Written as numbers, independently of the code under test. */
function isUnwanted(codePoint: number): boolean {
  const ranges: readonly (readonly [number, number])[] = [
    [0x00, 0x1f],
    [0x7f, 0x9f],
    [0xad, 0xad],
    [0x61c, 0x61c],
    [0x180e, 0x180e],
    [0x200b, 0x200f],
    [0x2028, 0x202e],
    [0x2060, 0x206f],
    [0xd800, 0xdfff],
    [0xfeff, 0xfeff],
    [0xfff9, 0xfffb],
    [0xe0000, 0xe0fff],
  ];
  return ranges.some(([first, last]) => codePoint >= first && codePoint <= last);
}

const nasty = fc.constantFrom(
  '\u001b',
  '\u009b',
  '\u009d',
  '[31m',
  ']8;;',
  '\u0007',
  '\\',
  '\u202e',
  '\u2066',
  '\u200b',
  '\u200d',
  '\ufeff',
  '\ud800',
  '\udc00',
  '\r\n',
  '\t',
  ' ',
  '\u00a0',
  '\u2000',
  'e',
  '\u0301',
  '\u0345',
  '\u0fb2',
  '가',
  '😀',
  '\u{e0041}',
);
const anyName = fc.oneof(
  fc.string({ unit: nasty, maxLength: 120 }),
  fc.string({ unit: 'binary', maxLength: 120 }),
  fc.string({ unit: 'grapheme', maxLength: 120 }),
);

describe('sanitizeName', () => {
  it('leaves nothing that moves a cursor, hides text or breaks a line', () => {
    fc.assert(
      fc.property(anyName, (name) => {
        const clean = sanitizeName(name);
        expect([...clean].map((char) => char.codePointAt(0) ?? 0).filter(isUnwanted)).toEqual([]);
        expect([...clean].length).toBeLessThanOrEqual(80);
        expect(clean).toBe(clean.trim());
        expect(clean).toBe(clean.normalize('NFC'));
        expect(clean).not.toMatch(/\s{2}/);
      }),
      { numRuns: 3000 },
    );
  });

  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(anyName, (name) => {
        const once = sanitizeName(name);
        expect(sanitizeName(once)).toBe(once);
      }),
      { numRuns: 3000 },
    );
  });

  it('keeps ordinary names as they are', () => {
    for (const name of ['mac-mini', 'Büro 2. Stock', '客厅', 'a', 'x'.repeat(80), 'O\'Neil "lab"']) {
      expect(sanitizeName(name)).toBe(name);
    }
  });

  it.each([
    ['\u001b[31mred\u001b[0m lamp', 'red lamp'],
    ['a\u001b]8;;http://x.test\u001b\\link\u001b]8;;\u0007!', 'alink!'],
    ['\u009b1mbold', 'bold'],
    ['\u001b(Bplain', 'plain'],
    ['two\r\nlines\tand   blanks ', 'two lines and blanks'],
    ['abc\u202egpj.exe', 'abcgpj.exe'],
    ['z\u200be\u200br\u2060o', 'zero'],
    ['e\u0301', 'é'],
    ['\u001b[2J', ''],
    [`${'x'.repeat(79)}😀y`, `${'x'.repeat(79)}😀`],
    [`${'x'.repeat(79)} y`, 'x'.repeat(79)],
  ])('turns %j into %j', (name, clean) => {
    expect(sanitizeName(name)).toBe(clean);
  });

  it('takes longer text when asked, and hostile lengths in its stride', () => {
    expect(sanitizeName('x'.repeat(500), 400)).toHaveLength(400);
    expect(sanitizeName('\u001b]'.repeat(1_000_000))).toBe('');
    expect(sanitizeName('\u009d'.repeat(1_000_000))).toBe('');
  });
});

describe('publicTunnelId', () => {
  it(verifies('I3', 'takes everything but a tunnel id of 1 to 19 digits for a secret'), () => {
    const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 19 });
    fc.assert(
      fc.property(digits, fc.string(), (id, other) => {
        expect(publicTunnelId('tunnel', id)).toBe(id);
        expect(publicTunnelId('device', id)).toBeNull();
        const isPublic =
          other.length >= 1 && other.length <= 19 && [...other].every((char) => char >= '0' && char <= '9');
        expect(publicTunnelId('tunnel', other)).toBe(isPublic ? other : null);
      }),
    );
    for (const id of ['', '1'.repeat(20), ' 1', '1\n', '-1', '1.0', '１２', '1a']) {
      expect(publicTunnelId('tunnel', id)).toBeNull();
    }
  });
});
