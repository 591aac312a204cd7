import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createAddressJudge } from './judge-address.ts';

const RULES = { allowFrom: ['203.0.113.0/24', '2001:db8::/32'], trustedProxies: ['10.0.0.0/8', '::1'] };
const judge = createAddressJudge(RULES);
const inside = fc.nat(255).map((n) => `203.0.113.${n}`);
const outside = fc.nat(255).map((n) => `198.51.100.${n}`);
const proxy = fc.tuple(fc.nat(255), fc.nat(255)).map(([a, b]) => `10.${a}.7.${b}`);
const hops = fc.array(fc.oneof(inside, outside, proxy, fc.string({ maxLength: 12 })), { maxLength: 4 });

describe('who may post', () => {
  it('is anybody, while no network is named', () => {
    const all = createAddressJudge({ allowFrom: [], trustedProxies: ['10.0.0.0/8'] });
    fc.assert(fc.property(fc.string(), fc.string(), (socket, forwarded) => all(socket, forwarded)));
  });

  it('is decided by the socket alone, when that is no trusted proxy, whatever the header claims', () => {
    fc.assert(
      fc.property(inside, outside, hops, (good, bad, claimed) => {
        expect(judge(good, claimed.join())).toBe(true);
        expect(judge(bad, claimed.join())).toBe(false);
        expect(judge(`::ffff:${good}`, undefined)).toBe(true);
      }),
    );
  });

  it('is decided by the right-most address that is no trusted proxy, whatever stands left of it', () => {
    const chain = fc.array(proxy, { maxLength: 3 });
    fc.assert(
      fc.property(proxy, chain, inside, outside, hops, (socket, proxies, good, bad, forged) => {
        const forwarded = (client: string) => [...forged, client, ...proxies].join(', ');
        expect(judge(socket, forwarded(good))).toBe(true);
        expect(judge(socket, forwarded(bad))).toBe(false);
      }),
    );
  });

  it.each([
    '',
    ' ',
    'unknown',
    '203.0.113.7:4711',
    '[2001:db8::1]',
    '203.0.113.7,',
    '203.0.113.7, _hidden',
    '203.0.113',
  ])('is nobody whom a trusted proxy names so: "%s"', (forwarded) => {
    expect(judge('10.0.0.1', forwarded)).toBe(false);
  });

  it('knows IPv6, and an address without bits as that address', () => {
    expect(judge('2001:db8::7', undefined)).toBe(true);
    expect(judge('::1', '2001:db8::7')).toBe(true);
    expect(judge('2001:db9::7', undefined)).toBe(false);
    expect(judge('::2', '2001:db8::7')).toBe(false);
    expect(judge(undefined, '203.0.113.7')).toBe(false);
  });
});
