import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeBase32 } from './encode-base32.ts';
import { newAlias, newId } from './new-id.ts';
import { newApiKey, newPathSecret } from './new-path-secret.ts';
import { takeRandomBytes } from './take-random-bytes.ts';

const MAKERS = {
  newPathSecret: { make: newPathSecret, form: /^[a-z2-7]{40}$/ },
  newApiKey: { make: newApiKey, form: /^tdg_[a-z2-7]{40}$/ },
  deviceAlias: { make: () => newAlias('dev'), form: /^dev_[a-z2-7]{16}$/ },
  tunnelAlias: { make: () => newAlias('tun'), form: /^tun_[a-z2-7]{16}$/ },
  newId: { make: () => newId('inc'), form: /^inc_[a-z2-7]{24}$/ },
};

describe('random names', () => {
  it.each(Object.entries(MAKERS))('%s has its form and never repeats', (_name, { make, form }) => {
    const made = Array.from({ length: 5_000 }, make);
    expect(made.filter((value) => !form.test(value))).toEqual([]);
    expect(new Set(made).size).toBe(made.length);
  });

  it('secrets hold at least 160 bits, each position using the whole alphabet', () => {
    const made = Array.from({ length: 2_000 }, newPathSecret);
    for (let at = 0; at < 40; at += 1) {
      expect(new Set(made.map((secret) => secret.charAt(at))).size).toBe(32);
    }
    expect(40 * Math.log2(32)).toBeGreaterThanOrEqual(160);
  });

  it('the pool never gives the same bytes out twice, across refills', () => {
    const taken = Array.from({ length: 10_000 }, () => takeRandomBytes(12).toString('hex'));
    expect(new Set(taken).size).toBe(taken.length);
  });
});

describe('encodeBase32', () => {
  it.each([
    ['', ''],
    ['f', 'my'],
    ['fo', 'mzxq'],
    ['foo', 'mzxw6'],
    ['foob', 'mzxw6yq'],
    ['fooba', 'mzxw6ytb'],
    ['foobar', 'mzxw6ytboi'],
  ])('encodes %j as RFC 4648 does', (text, encoded) => {
    expect(encodeBase32(Buffer.from(text))).toBe(encoded);
  });

  it('keeps different bytes apart', () => {
    const bytes = fc.uint8Array({ minLength: 15, maxLength: 15 });
    fc.assert(
      fc.property(bytes, bytes, (left, right) => {
        expect(encodeBase32(left) === encodeBase32(right)).toBe(Buffer.from(left).equals(right));
      }),
    );
  });
});
