import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/support/verifies.ts';
import { type CallbackRequest, validateCallback } from './validate-callback.ts';

const good: CallbackRequest = {
  url: 'https://example.org/hook?x=1',
  method: 'POST',
  headers: { 'content-type': 'application/json', authorization: 'Bearer made-up' },
  body: '{}',
};
const errors = (changes: Partial<CallbackRequest>) => {
  const result = validateCallback({ ...good, ...changes });
  return result.ok ? [] : result.errors;
};
const header = (name: string, value = 'x') => errors({ headers: { [name]: value } });

describe('validateCallback', () => {
  it('accepts an ordinary callback and answers the origin that lists may show', () => {
    expect(validateCallback(good)).toEqual({ ok: true, origin: 'https://example.org' });
    expect(validateCallback({ ...good, url: 'http://127.0.0.1:8080/x', body: null, headers: {} })).toEqual({
      ok: true,
      origin: 'http://127.0.0.1:8080',
    });
  });

  it.each([
    ['ftp://example.org/', 'scheme'],
    ['file:///etc/passwd', 'scheme'],
    ['javascript:alert(1)', 'scheme'],
    ['/relative', 'malformed'],
    ['', 'malformed'],
    ['https://', 'malformed'],
    ['https:example.org', 'malformed'],
    ['https:\\\\example.org', 'malformed'],
    ['https://user@example.org/', 'userinfo'],
    ['https://user:pass@example.org/', 'userinfo'],
    ['https://@example.org/', 'userinfo'],
    ['https://example.org\\@evil.test/', 'malformed'],
    ['https://exam\tple.org/', 'malformed'],
    ['https://example.org/a b', 'malformed'],
    ['https://example.org/\r\nx', 'malformed'],
    [' https://example.org/', 'malformed'],
    ['https://example.org:99999/', 'malformed'],
    ['https://[::1', 'malformed'],
    [`https://example.org/${'x'.repeat(2048)}`, 'too_long'],
  ])('rejects the URL %j as %s', (url, problem) => {
    expect(errors({ url })).toEqual([{ field: 'url', problem }]);
    expect(errors({ status: { url } })).toEqual([{ field: 'status.url', problem }]);
  });

  it('accepts a URL of 2048 characters, and an @ behind the host', () => {
    expect(errors({ url: `https://example.org/${'x'.repeat(2028)}` })).toEqual([]);
    expect(errors({ url: 'https://example.org/@me?to=a@b' })).toEqual([]);
  });

  it('rejects names that belong to HTTP or to Tidegate, in any case', () => {
    const forbidden = [
      'Host',
      'Content-Length',
      'Transfer-Encoding',
      'TE',
      'Trailer',
      'Connection',
      'Upgrade',
      'Expect',
    ];
    const name = fc.constantFrom(
      ...forbidden,
      'Keep-Alive',
      'Proxy-Authorization',
      'Proxy-X',
      'Idempotency-Key',
      'webhook-id',
    );
    fc.assert(
      fc.property(name, fc.infiniteStream(fc.boolean()), (text, upper) => {
        const mixed = [...text].map((char) => (upper.next().value ? char.toUpperCase() : char.toLowerCase())).join('');
        expect(header(mixed)).toEqual([{ field: 'headers', problem: 'forbidden_name' }]);
      }),
    );
    expect(header('x-webhook-id')).toEqual([]);
  });

  it('accepts exactly the token grammar for names', () => {
    const token = "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    for (let code = 0; code < 0x180; code += 1) {
      const char = String.fromCharCode(code);
      expect(header(`x${char}x`).length === 0).toBe(token.includes(char));
    }
    expect(header('')).toEqual([{ field: 'headers', problem: 'malformed_name' }]);
  });

  it('accepts no value that could end a header', () => {
    for (let code = 0; code < 0x180; code += 1) {
      const allowed = code === 9 || (code >= 0x20 && code <= 0x7e) || (code >= 0x80 && code <= 0xff);
      expect(header('x-a', `a${String.fromCharCode(code)}b`).length === 0).toBe(allowed);
    }
    expect(header('x-a', '1\r\nhost: evil')).toEqual([{ field: 'headers', problem: 'malformed_value' }]);
  });

  it('caps headers at 64 and 16 KiB, and allows each name once', () => {
    const many = (n: number) => Object.fromEntries(Array.from({ length: n }, (_, index) => [`x-${index}`, '']));
    expect(errors({ headers: many(64) })).toEqual([]);
    expect(errors({ headers: many(65) })).toEqual([{ field: 'headers', problem: 'too_many' }]);
    expect(header('x', 'v'.repeat(16 * 1024 - 1))).toEqual([]);
    expect(header('x', 'v'.repeat(16 * 1024))).toEqual([{ field: 'headers', problem: 'too_large' }]);
    expect(errors({ headers: { 'X-A': '1', 'x-a': '2' } })).toEqual([{ field: 'headers', problem: 'repeated_name' }]);
    expect(errors({ status: { url: good.url, headers: { host: 'x' } } })).toEqual([
      { field: 'status.headers', problem: 'forbidden_name' },
    ]);
  });

  it('allows five methods, upper case', () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) expect(errors({ method })).toEqual([]);
    expect(errors({ method: 'GET', body: null })).toEqual([]);
    expect(errors({ method: 'GET', body: '' })).toEqual([]);
    expect(errors({ method: 'GET' })).toEqual([{ field: 'body', problem: 'not_allowed' }]);
    for (const method of ['post', 'HEAD', 'OPTIONS', 'CONNECT', 'TRACE', 'POST ', '']) {
      expect(errors({ method })).toEqual([{ field: 'method', problem: 'not_allowed' }]);
    }
  });

  it('counts the body in bytes, up to 1 MiB', () => {
    const mebibyte = 1024 * 1024;
    const tooLarge = [{ field: 'body', problem: 'too_large' }];
    expect(errors({ body: 'x'.repeat(mebibyte) })).toEqual([]);
    expect(errors({ body: 'x'.repeat(mebibyte + 1) })).toEqual(tooLarge);
    expect(errors({ body: 'é'.repeat(mebibyte / 2) })).toEqual([]);
    expect(errors({ body: `${'é'.repeat(mebibyte / 2)}x` })).toEqual(tooLarge);
    expect(errors({ body: new Uint8Array(mebibyte) })).toEqual([]);
    expect(errors({ body: new Uint8Array(mebibyte + 1) })).toEqual(tooLarge);
  });

  it('reports every bad field once, in order', () => {
    const bad = {
      url: 'x',
      method: 'x',
      headers: { '': '', host: '' },
      body: 'x'.repeat(2 ** 21),
      status: { url: 'x' },
    };
    expect(errors(bad).map(({ field }) => field)).toEqual(['url', 'method', 'headers', 'body', 'status.url']);
  });

  it(verifies('I3', 'never repeats what was handed over in an error'), () => {
    const canary = fc.string({ minLength: 8, maxLength: 20, unit: fc.constantFrom(...'QXZW98') });
    fc.assert(
      fc.property(canary, (secret) => {
        const spoiled: Partial<CallbackRequest>[] = [
          { url: `https://${secret}@example.org/` },
          { url: secret },
          { method: secret },
          { headers: { [`${secret} `]: secret } },
          { headers: { [`proxy-${secret}`]: secret } },
          { headers: { a: `${secret}\n` } },
        ];
        for (const changes of spoiled) {
          expect(errors(changes).length).toBe(1);
          expect(JSON.stringify(errors(changes))).not.toContain(secret);
        }
      }),
    );
  });
});
