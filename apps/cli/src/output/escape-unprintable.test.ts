import fc from 'fast-check';
import { expect, it } from 'vitest';
import { escapeUnprintable } from './escape-unprintable.ts';

it.each([
  ['\u001b]0;owned\u0007', '\\u001b]0;owned\\u0007'],
  ['\u009b2J', '\\u009b2J'],
  ['rot\u202e13', 'rot\\u202e13'],
  ['two\nlines\u2028', 'two\\u000alines\\u2028'],
  ['tag\u{e0001}', 'tag\\udb40\\udc01'],
  ['Müller 日本 👍', 'Müller 日本 👍'],
])('%j is shown as %j', (text, shown) => expect(escapeUnprintable(text)).toBe(shown));

it('leaves JSON with the value that it had', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(JSON.parse(escapeUnprintable(JSON.stringify({ text })))).toEqual({ text });
    }),
  );
});
