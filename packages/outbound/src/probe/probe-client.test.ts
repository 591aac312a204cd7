import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/support/verifies.ts';
import { loopbackGuard, onEnd, startHttp, startTcp, unusedPort } from '../../test/loopback.ts';
import type { AddressGuardOptions } from '../guard/address-guard.ts';
import { createProbeClient, type ProbeRequest } from './probe-client.ts';

function makeClient(options: Partial<AddressGuardOptions> = {}) {
  const client = createProbeClient({ guard: loopbackGuard(options) });
  onEnd(client.close);
  return client;
}

function probe(url: string, overrides: Partial<ProbeRequest> = {}): ProbeRequest {
  const expectation = { status: 200, bodyIncludes: 'ok', nonce: false };
  return { url, headers: {}, expect: expectation, timeoutMs: 5000, ...overrides };
}

describe('the request', () => {
  it('is a GET that skips the warning page of the edge and asks for no compression', async () => {
    const server = await startHttp((_request, response) => response.end('ok'));
    await makeClient().get(probe(`${server.url}/healthz?full=1`, { headers: { Authorization: 'Bearer made-up' } }));
    expect(server.seen).toHaveLength(1);
    expect(server.seen[0]).toMatchObject({ method: 'GET', url: '/healthz?full=1', body: '' });
    expect(server.seen[0]?.headers).toMatchObject({
      authorization: 'Bearer made-up',
      'localtonet-skip-warning': 'true',
      'accept-encoding': 'identity',
      'user-agent': 'tidegate',
    });
    expect(server.seen[0]?.headers).not.toHaveProperty('tidegate-nonce');
  });

  it('carries the given nonce, and passes when the body echoes it', async () => {
    const server = await startHttp((request, response) =>
      response.end(`ok ${String(request.headers['tidegate-nonce'])}`),
    );
    const expectation = { status: 200, bodyIncludes: 'ok', nonce: true };
    const outcome = await makeClient().get(probe(server.url, { expect: expectation, nonce: 'run-7' }));
    expect(outcome).toMatchObject({ outcome: 'pass', reason: 'ok', status: 200 });
    expect(server.seen[0]?.headers['tidegate-nonce']).toBe('run-7');
  });

  it('makes a fresh nonce when the expectation asks for one and none is given', async () => {
    const server = await startHttp((request, response) => response.end(request.headers['tidegate-nonce']));
    const expectation = { status: 200, bodyIncludes: null, nonce: true };
    const client = makeClient();
    expect(await client.get(probe(server.url, { expect: expectation }))).toMatchObject({ outcome: 'pass' });
    expect(await client.get(probe(server.url, { expect: expectation }))).toMatchObject({ outcome: 'pass' });
    expect(new Set(server.seen.map((request) => request.headers['tidegate-nonce'])).size).toBe(2);
  });
});

describe('outcomes', () => {
  it('passes with the latency of the whole exchange', async () => {
    const server = await startHttp((_request, response) => response.end('ok'));
    const outcome = await makeClient().get(probe(server.url));
    expect(outcome).toMatchObject({ outcome: 'pass', reason: 'ok', status: 200 });
    expect(outcome.latencyMs).toBeGreaterThanOrEqual(0);
  });

  it('fails on the warning page that the edge sends with 200', async () => {
    const page = '<html><title>Localtonet</title>Warning: you are about to visit…</html>';
    const server = await startHttp((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page);
    });
    expect(await makeClient().get(probe(server.url))).toMatchObject({
      outcome: 'fail',
      reason: 'interstitial',
      status: 200,
    });
  });

  it('fails on the HTML 502 of a stopped tunnel client', async () => {
    const server = await startHttp((_request, response) => {
      response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad Gateway</h1>');
    });
    expect(await makeClient().get(probe(server.url))).toMatchObject({
      outcome: 'fail',
      reason: 'edge_error',
      status: 502,
    });
  });

  it('does not follow a redirect to a healthy page', async () => {
    const healthy = await startHttp((_request, response) => response.end('ok'));
    const server = await startHttp((_request, response) => response.writeHead(307, { location: healthy.url }).end());
    expect(await makeClient().get(probe(server.url))).toMatchObject({
      outcome: 'fail',
      reason: 'redirected',
      status: 307,
    });
    expect(healthy.seen).toEqual([]);
  });

  it('cuts a drip at the time limit, and says what was seen', async () => {
    const server = await startTcp((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n');
      const drip = setInterval(() => socket.write('1\r\n.\r\n'), 10);
      socket.on('close', () => clearInterval(drip));
    });
    const outcome = await makeClient().get(probe(server.url, { timeoutMs: 150 }));
    expect(outcome).toMatchObject({ outcome: 'fail', reason: 'timeout', status: 200 });
    expect(outcome.latencyMs).toBeLessThan(1500);
  });

  it('reads 64 KiB of a body and no more', async () => {
    const server = await startHttp((_request, response) => response.end(`${'x'.repeat(64 * 1024)}ok`));
    expect(await makeClient().get(probe(server.url))).toMatchObject({ outcome: 'fail', reason: 'body_too_large' });
  });

  it('fails when the agent is not there', async () => {
    const url = `http://127.0.0.1:${await unusedPort()}/`;
    expect(await makeClient().get(probe(url))).toMatchObject({ outcome: 'fail', reason: 'refused', status: null });
  });

  it('fails when the connection is reset before an answer', async () => {
    const server = await startTcp((socket) => socket.once('data', () => socket.resetAndDestroy()));
    expect(await makeClient().get(probe(server.url))).toMatchObject({ outcome: 'fail', reason: 'reset', status: null });
  });

  it('fails when the name does not resolve', async () => {
    const lookup = async () => [];
    expect(await makeClient({ lookup }).get(probe('http://gone.example/'))).toMatchObject({
      outcome: 'fail',
      reason: 'dns',
    });
  });

  it('is unknown when the config forbids the address or the request cannot be put', async () => {
    expect(await makeClient().get(probe('http://10.0.0.1/'))).toMatchObject({
      outcome: 'unknown',
      reason: 'address_denied',
    });
    const split = probe('http://127.0.0.1/', { headers: { 'x-a': 'b\r\nc: d' } });
    expect(await makeClient().get(split)).toMatchObject({ outcome: 'unknown', reason: 'malformed', status: null });
  });

  it('is unknown when we stop it', async () => {
    const server = await startTcp((socket) => socket.resume());
    const client = makeClient();
    const running = client.get(probe(server.url, { timeoutMs: 60_000 }));
    await client.close();
    expect(await running).toMatchObject({ outcome: 'unknown', reason: 'timeout', status: null });
  });
});

it(verifies('I3', 'no outcome holds a part of the URL, a header, the nonce or the body'), async () => {
  const canary = 'zqcanary8812';
  const server = await startHttp((request, response) => {
    const status = Number(request.url.slice(1, 4));
    response.writeHead(status, { 'content-type': 'text/html', 'x-echo': canary, location: `/${canary}` });
    response.end(`<p>${canary} ${JSON.stringify(request.headers)}</p>`);
  });
  const garbled = await startTcp((socket) => socket.once('data', () => socket.end(`${canary} ${canary}\r\n\r\n`)));
  const shut = await unusedPort();
  const urls = [
    ...[200, 204, 302, 401, 403, 404, 429, 500, 502].map((status) => `${server.url}/${status}/${canary}?k=${canary}`),
    `${garbled.url}/${canary}`,
    `http://127.0.0.1:${shut}/${canary}`,
    `http://${canary}:${canary}@127.0.0.1/`,
    `http://10.0.0.1/${canary}`,
    `gopher://${canary}`,
    canary,
  ];
  const client = makeClient();
  for (const url of urls) {
    const headers = { authorization: `Bearer ${canary}` };
    const expectation = { status: 200, bodyIncludes: `${canary}!`, nonce: true };
    const outcome = await client.get(probe(url, { headers, expect: expectation, nonce: canary }));
    expect(JSON.stringify(outcome)).not.toContain(canary);
  }
});
