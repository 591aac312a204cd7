import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/support/verifies.ts';
import { describeDestination, parseDestination } from './destination.ts';

describe('parseDestination', () => {
  it.each([
    ['http://example.org', 'example.org', 80, '/'],
    ['https://example.org', 'example.org', 443, '/'],
    ['https://Example.org.:8443/a?b=c#d', 'example.org', 8443, '/a?b=c'],
    ['http://[::1]:9000/x', '::1', 9000, '/x'],
    ['http://2130706433/', '127.0.0.1', 80, '/'],
    ['http://0x7f.1/', '127.0.0.1', 80, '/'],
    ['http://0177.0.0.01/', '127.0.0.1', 80, '/'],
    ['http://127.0.0.1./', '127.0.0.1', 80, '/'],
    ['http://１２７.0.0.1/', '127.0.0.1', 80, '/'],
    ['http://[::ffff:127.0.0.1]/', '::ffff:7f00:1', 80, '/'],
  ])('takes %s apart', (url, hostname, port, target) => {
    const parsed = parseDestination(url);
    expect(parsed).toMatchObject({ ok: true, destination: { hostname, port, target } });
  });

  it.each([
    ['ftp://example.org', 'scheme'],
    ['file:///etc/passwd', 'scheme'],
    ['data:text/plain,x', 'scheme'],
    ['javascript:1', 'scheme'],
    ['https://user@example.org', 'userinfo'],
    ['https://user:pass@example.org', 'userinfo'],
    ['https://:pass@example.org', 'userinfo'],
    ['http://[fe80::1%25eth0]/', 'not_a_url'],
    ['http://[fe80::1%eth0]/', 'not_a_url'],
    ['http://example.org:0/', 'not_a_url'],
    ['http://example.org:65536/', 'not_a_url'],
    ['http://./', 'not_a_url'],
    ['/relative', 'not_a_url'],
    ['', 'not_a_url'],
  ])('refuses %s as %s', (url, problem) => {
    expect(parseDestination(url)).toEqual({ ok: false, problem });
  });
});

describe('describeDestination', () => {
  it('gives the origin', () => {
    expect(describeDestination('https://hooks.example.org:8443/in?key=abc')).toBe('https://hooks.example.org:8443');
  });

  it(verifies('I3', 'nothing of path, query, fragment or userinfo comes out, whatever the input'), () => {
    const secret = fc.stringMatching(/^[a-z0-9]{12,24}$/).map((text) => `zq${text}`);
    fc.assert(
      fc.property(secret, fc.integer({ min: 0, max: 5 }), (canary, shape) => {
        const url = [
          `https://example.org/${canary}`,
          `https://example.org/?k=${canary}`,
          `https://example.org/#${canary}`,
          `https://${canary}:${canary}@example.org/`,
          `gopher://${canary}/`,
          `${canary} not a url`,
        ][shape];
        expect(describeDestination(url ?? '')).not.toContain(canary);
      }),
    );
  });
});
