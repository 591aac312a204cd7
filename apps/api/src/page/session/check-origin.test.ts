import { describe, expect, it } from 'vitest';
import { isOwnOrigin } from './check-origin.ts';

const OWN = { origin: 'https://tidegate.example', host: 'tidegate.example', fetchSite: 'same-origin' };

describe('isOwnOrigin', () => {
  it.each([
    ['a browser of today', OWN, true],
    ['one that does not say from which site', { ...OWN, fetchSite: undefined }, true],
    ['a proxy that rewrote Host', { ...OWN, host: '127.0.0.1:7412' }, true],
    ['such a proxy, and a browser that does not say', { ...OWN, host: '127.0.0.1:7412', fetchSite: undefined }, false],
    ['another site', { ...OWN, origin: 'https://evil.example', fetchSite: 'cross-site' }, false],
    ['another site, before browsers said so', { ...OWN, origin: 'https://evil.example', fetchSite: undefined }, false],
    [
      'a neighbour under the same domain',
      { ...OWN, origin: 'https://x.tidegate.example', fetchSite: 'same-site' },
      false,
    ],
    ['a form without an origin', { ...OWN, origin: undefined }, false],
    ['an origin that is hidden', { ...OWN, origin: 'null', fetchSite: undefined }, false],
    ['something that is no origin', { ...OWN, origin: 'https://', fetchSite: undefined }, false],
    ['another port', { ...OWN, origin: 'https://tidegate.example:444', fetchSite: undefined }, false],
  ])('%s', (_name, headers, expected) => expect(isOwnOrigin(headers)).toBe(expected));
});
