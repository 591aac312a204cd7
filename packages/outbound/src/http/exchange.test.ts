import { describe, expect, it } from 'vitest';
import { loopbackGuard, onEnd, startHttp, startTcp, startTls, unusedPort } from '../../test/loopback.ts';
import { makeSelfSigned } from '../../test/self-signed.ts';
import type { AddressGuardOptions } from '../guard/address-guard.ts';
import { createExchanger, type ExchangeRequest } from './exchange.ts';

function makeExchanger(options: Partial<AddressGuardOptions> = {}) {
  const exchanger = createExchanger(loopbackGuard(options));
  onEnd(exchanger.close);
  return exchanger;
}

function get(url: string, overrides: Partial<ExchangeRequest> = {}): ExchangeRequest {
  return { url, method: 'GET', headers: {}, body: null, maxBodyBytes: 1024, timeoutMs: 5000, ...overrides };
}

describe('addresses', () => {
  it('dials the address that was checked, though the name changes its answer at once', async () => {
    const server = await startHttp((_request, response) => response.end('mine'));
    let asked = 0;
    const lookup = async () => {
      asked += 1;
      return asked === 1 ? ['127.0.0.1'] : ['127.0.0.2'];
    };
    const result = await makeExchanger({ lookup }).exchange(get(`http://rebind.example:${server.port}/`));
    expect(result).toMatchObject({ kind: 'answered', status: 200 });
    expect(asked).toBe(1);
    expect(server.seen[0]?.headers.host).toBe(`rebind.example:${server.port}`);
  });

  it('opens no connection when any address of the name is refused', async () => {
    const server = await startHttp((_request, response) => response.end());
    const lookup = async () => ['127.0.0.1', '10.0.0.1'];
    const result = await makeExchanger({ lookup }).exchange(get(`http://mixed.example:${server.port}/`));
    expect(result).toMatchObject({ kind: 'not_sent', reason: 'address_denied' });
    expect(server.seen).toEqual([]);
  });

  it('goes on to the next address when one refuses', async () => {
    const server = await startHttp((_request, response) => response.end('ok'));
    const lookup = async () => ['127.0.0.77', '127.0.0.1'];
    const result = await makeExchanger({ lookup }).exchange(get(`http://two.example:${server.port}/`));
    expect(result).toMatchObject({ kind: 'answered', status: 200 });
  });

  it('follows no redirect', async () => {
    const trap = await startHttp((_request, response) => response.end());
    const server = await startHttp((_request, response) => response.writeHead(302, { location: trap.url }).end());
    const result = await makeExchanger().exchange(get(server.url));
    expect(result).toMatchObject({ kind: 'answered', status: 302 });
    expect(trap.seen).toEqual([]);
  });

  it.each(['ftp://127.0.0.1/', 'http://user:pw@127.0.0.1/'])('does not dial %s', async (url) => {
    expect(await makeExchanger().exchange(get(url))).toMatchObject({ kind: 'not_sent', reason: 'address_denied' });
  });
});

describe('time', () => {
  it('covers a lookup that never ends', async () => {
    const lookup = () => new Promise<string[]>(() => {});
    const result = await makeExchanger({ lookup }).exchange(get('http://stuck.example/', { timeoutMs: 50 }));
    expect(result).toMatchObject({ kind: 'not_sent', reason: 'timeout' });
  });

  it('covers a TLS handshake that never ends', async () => {
    const server = await startTcp(() => {});
    const result = await makeExchanger().exchange(get(`https://127.0.0.1:${server.port}/`, { timeoutMs: 80 }));
    expect(result).toMatchObject({ kind: 'not_sent', reason: 'timeout' });
  });

  it('covers a server that never answers', async () => {
    const server = await startTcp((socket) => socket.resume());
    const result = await makeExchanger().exchange(get(server.url, { timeoutMs: 80 }));
    expect(result).toMatchObject({ kind: 'unanswered', reason: 'timeout' });
  });

  it('cuts a body that drips for ever', async () => {
    const server = await startTcp((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n');
      const drip = setInterval(() => socket.write('.'), 10);
      socket.on('close', () => clearInterval(drip));
    });
    const result = await makeExchanger().exchange(get(server.url, { timeoutMs: 150 }));
    expect(result).toMatchObject({ kind: 'answered', status: 200, ending: 'timeout' });
    expect(result.latencyMs).toBeLessThan(1500);
  });

  it('cuts headers that drip for ever', async () => {
    const server = await startTcp((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const drip = setInterval(() => socket.write('x-a: b\r\n'), 10);
      socket.on('close', () => clearInterval(drip));
    });
    const result = await makeExchanger().exchange(get(server.url, { timeoutMs: 150 }));
    expect(result).toMatchObject({ kind: 'unanswered', reason: 'timeout' });
  });

  it('ends what is in flight on close, and starts nothing after it', async () => {
    const server = await startTcp((socket) => socket.resume());
    const exchanger = makeExchanger();
    const running = exchanger.exchange(get(server.url, { timeoutMs: 60_000 }));
    await exchanger.close();
    expect(await running).toMatchObject({ reason: 'aborted' });
    expect(await exchanger.exchange(get(server.url))).toMatchObject({ kind: 'not_sent', reason: 'aborted' });
  });

  it('obeys the signal of the caller', async () => {
    const controller = new AbortController();
    const server = await startTcp((socket) => socket.once('data', () => controller.abort()));
    const exchanger = makeExchanger();
    expect(await exchanger.exchange(get(server.url, { signal: controller.signal }))).toMatchObject({
      kind: 'unanswered',
      reason: 'aborted',
    });
    expect(await exchanger.exchange(get(server.url, { signal: controller.signal }))).toMatchObject({
      kind: 'not_sent',
      reason: 'aborted',
    });
  });
});

describe('answers', () => {
  it('reads a chunked body and skips informational answers', async () => {
    const server = await startTcp((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n');
        socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n');
        socket.end('6\r\n world\r\n0\r\n\r\n');
      });
    });
    const result = await makeExchanger().exchange(get(server.url));
    expect(result).toMatchObject({ kind: 'answered', status: 200, ending: 'complete' });
    expect(result.kind === 'answered' && result.body.toString()).toBe('hello world');
  });

  it('keeps no more than the limit and drops the connection there', async () => {
    const server = await startHttp((_request, response) => {
      response.write('a'.repeat(5000));
      response.write('b'.repeat(5_000_000));
    });
    const result = await makeExchanger().exchange(get(server.url, { maxBodyBytes: 1000 }));
    expect(result).toMatchObject({ kind: 'answered', ending: 'cut' });
    expect(result.kind === 'answered' && result.body.toString()).toBe('a'.repeat(1000));
  });

  it.each([
    ['a body shorter than its content-length', 'content-length: 100\r\n\r\nshort', 'reset'],
    ['a chunk that ends early', 'transfer-encoding: chunked\r\n\r\n64\r\nshort', 'reset'],
    ['a chunk without a size', 'transfer-encoding: chunked\r\n\r\nzz\r\nshort', 'malformed'],
  ])('names %s', async (_name, rest, ending) => {
    const server = await startTcp((socket) => socket.once('data', () => socket.end(`HTTP/1.1 200 OK\r\n${rest}`)));
    expect(await makeExchanger().exchange(get(server.url))).toMatchObject({ kind: 'answered', status: 200, ending });
  });

  it.each([
    ['SSH-2.0-OpenSSH_9.6\r\n', 'malformed'],
    [`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`, 'malformed'],
    ['', 'reset'],
  ])('names an answer that is not HTTP', async (answer, reason) => {
    const server = await startTcp((socket) => socket.once('data', () => socket.end(answer)));
    expect(await makeExchanger().exchange(get(server.url))).toMatchObject({ kind: 'unanswered', reason });
  });

  it('refuses a header that could split the request', async () => {
    const server = await startHttp((_request, response) => response.end());
    const request = get(server.url, { headers: { 'x-a': 'b\r\nx-c: d' } });
    expect(await makeExchanger().exchange(request)).toMatchObject({ kind: 'not_sent', reason: 'invalid_request' });
    expect(server.seen).toEqual([]);
  });
});

describe('connections', () => {
  it('says refused when nothing listens', async () => {
    const url = `http://127.0.0.1:${await unusedPort()}/`;
    expect(await makeExchanger().exchange(get(url))).toMatchObject({ kind: 'not_sent', reason: 'refused' });
  });

  it('speaks TLS to the pinned address under the name of the URL', async () => {
    const certificate = makeSelfSigned('agent.example');
    const names: string[] = [];
    const port = await startTls(certificate, (name) => names.push(name));
    const exchanger = makeExchanger({ lookup: async () => ['127.0.0.1'], extraCa: certificate.cert });
    expect(await exchanger.exchange(get(`https://agent.example:${port}/`))).toMatchObject({
      kind: 'answered',
      status: 200,
      ending: 'complete',
    });
    expect(names).toEqual(['agent.example']);
  });

  it.each([
    ['another name than the certificate', 'other.example', true],
    ['an unknown issuer', 'agent.example', false],
  ])('sends nothing under %s', async (_name, hostname, trusted) => {
    const certificate = makeSelfSigned('agent.example');
    const port = await startTls(certificate, () => {});
    const exchanger = makeExchanger({
      lookup: async () => ['127.0.0.1'],
      ...(trusted ? { extraCa: certificate.cert } : {}),
    });
    const result = await exchanger.exchange(get(`https://${hostname}:${port}/`));
    expect(result).toMatchObject({ kind: 'not_sent', reason: 'tls' });
  });

  it('does not accept a certificate for a name when the URL holds an address', async () => {
    const certificate = makeSelfSigned('agent.example');
    const port = await startTls(certificate, () => {});
    const exchanger = makeExchanger({ extraCa: certificate.cert });
    const result = await exchanger.exchange(get(`https://127.0.0.1:${port}/`));
    expect(result).toMatchObject({ kind: 'not_sent', reason: 'tls' });
  });

  it.each(['HTTP/1.1 400 Bad Request\r\n\r\n', ''])(
    'says tls when the handshake is answered with %j',
    async (answer) => {
      const server = await startTcp((socket) => socket.once('data', () => socket.end(answer)));
      const result = await makeExchanger().exchange(get(`https://127.0.0.1:${server.port}/`));
      expect(result).toMatchObject({ kind: 'not_sent', reason: 'tls' });
    },
  );

  it('uses a fresh connection each time', async () => {
    const ports = new Set<number | undefined>();
    const server = await startHttp((_request, response) => {
      ports.add(response.socket?.remotePort);
      response.end();
    });
    const exchanger = makeExchanger();
    for (let round = 0; round < 3; round += 1) await exchanger.exchange(get(server.url));
    expect(ports.size).toBe(3);
    expect(server.seen.every((request) => request.headers.connection === 'close')).toBe(true);
  });

  it('raises no warning with many requests under one signal', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error) => warnings.push(warning);
    process.on('warning', note);
    const server = await startHttp((_request, response) => response.end());
    const { signal } = new AbortController();
    const exchanger = makeExchanger();
    await Promise.all(Array.from({ length: 30 }, () => exchanger.exchange(get(server.url, { signal }))));
    await new Promise(setImmediate);
    process.off('warning', note);
    expect(warnings).toEqual([]);
  });
});
