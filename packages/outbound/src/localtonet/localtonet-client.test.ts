import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/support/verifies.ts';
import { loopbackGuard, onEnd, startHttp, startTcp, unusedPort } from '../../test/loopback.ts';
import { createLocaltonetClient, type LocaltonetClientOptions } from './localtonet-client.ts';

const TOKEN = 'made-up/token?#%é';

function makeClient(url: string, options: Partial<LocaltonetClientOptions> = {}) {
  const apiKey = 'made-up-key';
  const client = createLocaltonetClient({
    baseUrl: `${url}/api/v2`,
    apiKey,
    timeoutMs: 5000,
    guard: loopbackGuard(),
    ...options,
  });
  onEnd(client.close);
  return client;
}

const json = (response: ServerResponse, body: unknown) =>
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));

describe('requests', () => {
  it('go to the documented paths with the key as bearer, the token URL-encoded in the path and nowhere else', async () => {
    const server = await startHttp((_request, response) => json(response, []));
    const client = makeClient(server.url);
    await client.listDevices();
    await client.listTunnels();
    await client.tunnelsOfDevice(TOKEN);
    await client.deviceByToken(TOKEN);
    await client.tunnelById('298487');
    const encoded = encodeURIComponent(TOKEN);
    expect(server.seen.map((request) => `${request.method} ${request.url}`)).toEqual([
      'GET /api/v2/auth-tokens',
      'GET /api/v2/tunnels',
      `GET /api/v2/auth-tokens/${encoded}/tunnels`,
      `GET /api/v2/auth-tokens/${encoded}`,
      'GET /api/v2/tunnels/298487',
    ]);
    for (const { headers } of server.seen) {
      expect(headers.authorization).toBe('Bearer made-up-key');
      expect(JSON.stringify(headers)).not.toContain('token');
    }
  });

  it.each(['', '.', '..', '\ud800'])(
    'are not made for the name %j, which would reach another resource',
    async (name) => {
      const server = await startHttp((_request, response) => json(response, []));
      expect(await makeClient(server.url).tunnelsOfDevice(name)).toMatchObject({ ok: false, reason: 'not_found' });
      expect(server.seen).toEqual([]);
    },
  );

  it('tolerate a slash at the end of the base URL', async () => {
    const server = await startHttp((_request, response) => json(response, []));
    await makeClient(server.url, { baseUrl: `${server.url}/api/v2//` }).listTunnels();
    expect(server.seen[0]?.url).toBe('/api/v2/tunnels');
  });
});

describe('answers', () => {
  it('are read with their byte order mark, and say how many entries were unreadable', async () => {
    const body = `\uFEFF${JSON.stringify({ items: [{ token: 'made-up-1', clientIsOnline: false }, {}] })}`;
    const server = await startHttp((_request, response) => response.end(body));
    expect(await makeClient(server.url).listDevices()).toMatchObject({
      ok: true,
      value: [{ token: 'made-up-1', name: null, online: false }],
      skipped: 1,
    });
  });

  it.each([
    [400, 'malformed'],
    [401, 'unauthorized'],
    [403, 'forbidden'],
    [404, 'not_found'],
    [408, 'timeout'],
    [418, 'malformed'],
    [301, 'malformed'],
    [500, 'server_error'],
    [503, 'server_error'],
  ])('with status %i are %s', async (status, reason) => {
    const server = await startHttp((_request, response) => response.writeHead(status).end('{"title":"no"}'));
    const result = await makeClient(server.url).listDevices();
    expect(result).toMatchObject({ ok: false, reason });
    expect(result).not.toHaveProperty('retryAfterMs');
  });

  it.each([
    ['7', 7_000],
    [new Date(Date.UTC(2026, 10, 5, 12, 0, 30)).toUTCString(), 30_000],
    ['tomorrow', undefined],
  ])('429 with Retry-After %s are rate_limited', async (value, retryAfterMs) => {
    const date = new Date(Date.UTC(2026, 10, 5, 12, 0, 0)).toUTCString();
    const server = await startHttp((_request, response) =>
      response.writeHead(429, { 'retry-after': value, date }).end(),
    );
    const result = await makeClient(server.url).listTunnels();
    expect(result).toMatchObject({ ok: false, reason: 'rate_limited' });
    expect(result.ok ? 'ok' : result.retryAfterMs).toBe(retryAfterMs);
  });

  it('429 with a date and no Date of its own is measured by our clock', async () => {
    const at = new Date(Date.UTC(2026, 10, 5, 12, 0, 30)).toUTCString();
    const head = `HTTP/1.1 429 Too Many\r\nretry-after: ${at}\r\ncontent-length: 0\r\n\r\n`;
    const server = await startTcp((socket) => socket.once('data', () => socket.end(head)));
    const now = () => Date.UTC(2026, 10, 5, 12, 0, 20);
    expect(await makeClient(server.url, { now }).listTunnels()).toMatchObject({ retryAfterMs: 10_000 });
  });

  it.each(['', 'not json', '<html>', 'null', '{}', '[{"unknown":1}]', '{"items":['])(
    '%j is malformed',
    async (body) => {
      const server = await startHttp((_request, response) => response.end(body));
      expect(await makeClient(server.url).listTunnels()).toMatchObject({ ok: false, reason: 'malformed' });
    },
  );

  it('beyond the size limit are malformed, though what was read is whole', async () => {
    const server = await startHttp((_request, response) => response.end(`[]${' '.repeat(2000)}`));
    expect(await makeClient(server.url, { maxAnswerBytes: 1000 }).listTunnels()).toMatchObject({ reason: 'malformed' });
  });

  it('beyond the size limit are malformed, and within it are read', async () => {
    const server = await startHttp((_request, response) => json(response, [{ id: 1, title: 'x'.repeat(2000) }]));
    expect(await makeClient(server.url, { maxAnswerBytes: 1000 }).listTunnels()).toMatchObject({ reason: 'malformed' });
    expect(await makeClient(server.url, { maxAnswerBytes: 4000 }).listTunnels()).toMatchObject({ ok: true });
  });
});

describe('silence', () => {
  it('is timeout when the service does not answer in time', async () => {
    const server = await startTcp((socket) => socket.resume());
    expect(await makeClient(server.url, { timeoutMs: 80 }).listDevices()).toMatchObject({
      ok: false,
      reason: 'timeout',
    });
  });

  it('is timeout when the answer drips', async () => {
    const server = await startTcp((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n[');
      const drip = setInterval(() => socket.write(' '), 10);
      socket.on('close', () => clearInterval(drip));
    });
    expect(await makeClient(server.url, { timeoutMs: 100 }).listDevices()).toMatchObject({
      ok: false,
      reason: 'timeout',
    });
  });

  it('is unreachable when refused, unresolved or broken', async () => {
    const broken = await startTcp((socket) => socket.once('data', () => socket.resetAndDestroy()));
    const half = await startTcp((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n[]'));
    });
    const guard = loopbackGuard({ lookup: async () => [] });
    for (const client of [
      makeClient(`http://127.0.0.1:${await unusedPort()}`),
      makeClient('http://gone.example', { guard }),
      makeClient(broken.url),
      makeClient(half.url),
    ]) {
      expect(await client.listDevices()).toMatchObject({ ok: false, reason: 'unreachable' });
    }
  });

  it('is address_denied when the base URL leads where the guard forbids', async () => {
    expect(await makeClient('http://10.0.0.1').listDevices()).toMatchObject({ ok: false, reason: 'address_denied' });
  });
});

describe(verifies('I3', 'secrets stay out of results and errors'), () => {
  it('whatever the service answers', async () => {
    const canary = 'zqcanary5541';
    const echo = await startHttp((request, response) => {
      response.writeHead(Number(/s(\d+)/.exec(request.url)?.[1] ?? 200));
      response.end(`${request.url} ${String(request.headers.authorization)} {${canary}`);
    });
    const broken = await startTcp((socket) => socket.once('data', (bytes) => socket.end(bytes)));
    for (const base of [echo.url, `${echo.url}/s401`, `${echo.url}/s500`, broken.url, 'http://10.0.0.1']) {
      const client = makeClient(base, { baseUrl: base, apiKey: canary });
      for (const result of [await client.deviceByToken(canary), await client.tunnelsOfDevice(canary)]) {
        expect(result.ok).toBe(false);
        expect(JSON.stringify(result)).not.toContain(canary);
      }
    }
  });

  it.each([
    [{ apiKey: 'zqcanary\n5541' }, 'localtonet_api_key_invalid'],
    [{ baseUrl: 'ftp://zqcanary5541' }, 'localtonet_base_url_invalid'],
    [{ baseUrl: 'https://u:zqcanary5541@example.org' }, 'localtonet_base_url_invalid'],
    [{ baseUrl: 'https://example.org/?k=zqcanary5541' }, 'localtonet_base_url_invalid'],
  ])('when it cannot be made', (options, code) => {
    const make = () => makeClient('http://127.0.0.1', options);
    expect(make).toThrow(expect.objectContaining({ code }));
    expect(make).not.toThrow(/zqcanary/);
  });
});
