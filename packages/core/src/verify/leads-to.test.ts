import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { leadsTo } from './leads-to.ts';

const host = fc.domain();
const spelled = (name: fc.Arbitrary<string>) =>
  fc
    .tuple(
      fc.constantFrom('', 'https://', 'http://', 'tcp://', 'HTTPS://'),
      name,
      fc.constantFrom('', '.'),
      fc.constantFrom('', ':8443'),
      fc.constantFrom('', '/', '/hooks?x=1'),
      fc.boolean(),
    )
    .map(
      ([scheme, text, dot, port, path, upper]) => `${scheme}${upper ? text.toUpperCase() : text}${dot}${port}${path}`,
    );

describe('whether two addresses lead to one host', () => {
  it('is so for every spelling of one, and for no two', () => {
    const two = fc.tuple(host, host).chain(([a, b]) =>
      fc.record({
        same: fc.constant(a.toLowerCase() === b.toLowerCase()),
        a: spelled(fc.constant(a)),
        b: spelled(fc.constant(b)),
        again: spelled(fc.constant(a)),
      }),
    );
    fc.assert(
      fc.property(two, ({ same, a, b, again }) => {
        expect(leadsTo(a, again)).toBe(true);
        expect(leadsTo(a, b)).toBe(same);
        expect(leadsTo(b, a)).toBe(same);
      }),
    );
  });

  it.each(['', ' ', 'https://', 'no host', 'a:b:c'])('is never so for what is no address: "%s"', (text) => {
    expect(leadsTo(text, text)).toBe(false);
    expect(leadsTo(text, 'https://hooks.example.org')).toBe(false);
  });

  it('takes any text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void leadsTo(text, 'https://hooks.example.org')));
  });
});
