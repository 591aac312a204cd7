import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/support/verifies.ts';
import { REMOVED, scrubText } from './scrub-text.ts';

const plain = (text: string, radioactive: readonly string[] = [], harmless: readonly string[] = []) =>
  scrubText(text, { radioactive, harmless: new Set(harmless) }).text;
const base32 = fc.string({
  unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz234567'),
  minLength: 40,
  maxLength: 40,
});

describe('the last look at a text', () => {
  it.each([
    ['an API key', `key tdg_${'a2b3c4d5'.repeat(5)} here`, `key ${REMOVED} here`],
    ['a signing secret', `whsec_${'QUJD'.repeat(8)}`, REMOVED],
    ['a webhook path', 'POST /hooks/localtonet/abcdefghij now', `POST ${REMOVED} now`],
    ['a bearer token', 'authorization: Bearer abc.def-123', `authorization: ${REMOVED}`],
    ['basic credentials', 'Basic dXNlcjpwYXNzd29yZA==', REMOVED],
    ['a URL, whatever it is', 'see https://hooks.slack.com/services/T0/B0/xyz.', `see ${REMOVED}`],
    ['a uuid', '6f1c2f6e-6b6e-4b8e-9a55-0f6b9d9a1b11', REMOVED],
    ['a long number', '123456789012345678901', REMOVED],
    ['a value known to be secret', 'the word is pluto9', `the word is ${REMOVED}`],
  ])('blacks out %s', (_name, text, clean) => {
    expect(plain(text, ['pluto9'])).toBe(clean);
  });

  it('leaves what we say ourselves', () => {
    for (const text of [
      'Device mac-mini is disconnected, 2 of its tunnels with it; held: research-agent.',
      'Incident inc_4cfq0zt1v8m2abcdefghijkl, since 2026-11-30 03:12 UTC.',
      'Next step: Check that the device has power and internet, then restart its Localtonet client.',
      'basic connectivity is back, Basic',
      '2026-11-30T03:12:00.000Z',
      'Tunnel 298487 of dev_abcdefgh23456777',
      'Büro 2. Stock',
      'Device offline: raspberrypi4-living-room (agent)',
      'Device offline: DESKTOP-7G3K2LQ-Office-Berlin',
      'Device offline: mac_mini_2019_second_floor',
    ]) {
      expect(plain(text)).toBe(text);
    }
    const name = 'research-agent-2-production-eu';
    const link = 'https://tidegate.example.org/incidents/inc_4cfq0zt1v8m2abcdefghijkl';
    expect(plain(`${name} at ${link}`, [], [name, link])).toBe(`${name} at ${link}`);
  });

  it(
    verifies('I3', 'I3.notify', 'lets no path secret, key or known value through, wherever it stands in the text'),
    () => {
      fc.assert(
        fc.property(
          fc.string(),
          base32,
          fc.string(),
          fc.constantFrom('', 'tdg_', '/hooks/localtonet/', 'Bearer '),
          (before, secret, after, prefix) => {
            const { text } = scrubText(`${before}${prefix}${secret}${after}`, {
              radioactive: [secret],
              harmless: new Set(),
            });
            expect(text).not.toContain(secret);
            // Nor one nobody knows of, unless it looks like a long word.
            fc.pre(/\d/.test(secret) && /[a-z]/.test(secret));
            expect(plain(`${before} ${prefix}${secret} ${after}`)).not.toContain(secret);
          },
        ),
        { numRuns: 2000 },
      );
    },
  );

  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(fc.string(), base32, (text, secret) => {
        const once = plain(`${text} ${secret} ${text}`, [secret]);
        expect(plain(once, [secret])).toBe(once);
      }),
    );
  });
});
