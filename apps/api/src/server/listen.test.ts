import { readFile } from 'node:fs/promises';
import net from 'node:net';
import { PROBLEM_MEDIA_TYPE, problemSchema } from '@tidegate/client';
import { beforeAll, describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/support/verifies.ts';
import { type RawAnswer, sendRaw } from '../../test/send-raw.ts';
import { plantServices, startTestApi, type TestApi } from '../../test/start-test-api.ts';
import { ANSWER_HEADERS } from '../answer/answer.ts';

const CANARY = 'canary-5f2e81';
let test: TestApi;
beforeAll(async () => {
  test = await startTestApi();
  await plantServices(test.sql, ['agent'], ['agent']);
}, 60_000);

function expectProblem(answer: RawAnswer, status: number, code: string): void {
  expect(answer.status).toBe(status);
  expect(answer.headers).toMatchObject({ ...ANSWER_HEADERS, 'content-type': PROBLEM_MEDIA_TYPE });
  expect(problemSchema.parse(JSON.parse(answer.body))).toMatchObject({ status, code });
  expect(JSON.stringify(answer)).not.toContain(CANARY);
}

async function toRaw(response: Response): Promise<RawAnswer> {
  return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() };
}

describe('every answer', () => {
  it.each(['/v1/gates/agent', '/healthz', '/readyz', '/v1/nothing'])(
    'carries the security headers: %s',
    async (path) => {
      const response = await test.call(path);
      expect(Object.fromEntries(response.headers)).toMatchObject(ANSWER_HEADERS);
      const names = [...response.headers.keys()];
      expect(
        names.filter((name) => name.startsWith('access-control') || name === 'server' || name.startsWith('x-powered')),
      ).toEqual([]);
    },
  );

  it('to HEAD is that to GET without its body', async () => {
    const [get, head] = [await test.call('/v1/gates/agent'), await test.call('/v1/gates/agent', { method: 'HEAD' })];
    expect([head.status, await head.text(), head.headers.get('etag')]).toEqual([200, '', get.headers.get('etag')]);
  });

  it('to a preflight grants nothing', async () => {
    const headers = { origin: 'https://elsewhere.example', 'access-control-request-method': 'GET' };
    const response = await test.call('/v1/gates', { method: 'OPTIONS', key: null, headers });
    expect([...response.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    expectProblem(await toRaw(response), 405, 'method_not_allowed');
  });
});

describe('what no route takes', () => {
  it.each([
    '/v1',
    '/v1/gates/',
    '/v1/gates/a/b',
    `/${CANARY}`,
    `/v1/${CANARY}?${CANARY}=${CANARY}`,
    '/V1/gates',
    '//v1/gates',
  ])('is 404: %s', async (path) => expectProblem(await toRaw(await test.call(path, { key: null })), 404, 'not_found'));

  it.each([
    ['DELETE', '/v1/gates/agent', 'GET, HEAD'],
    ['PUT', '/v1/callbacks', 'GET, HEAD, POST'],
    ['POST', '/healthz', 'GET, HEAD'],
    ['PATCH', `/v1/callbacks/${CANARY}`, 'GET, HEAD'],
  ])('is 405 with what is allowed: %s %s', async (method, path, allow) => {
    const answer = await toRaw(await test.call(path, { method }));
    expectProblem(answer, 405, 'method_not_allowed');
    expect(answer.headers.allow).toBe(allow);
  });
});

describe('what is no request', () => {
  const head = (...lines: string[]) => `${lines.join('\r\n')}\r\n\r\n`;

  it.each([
    ['noise', `${CANARY}\r\n\r\n`],
    [
      'both lengths',
      head('POST /v1/callbacks HTTP/1.1', 'host: x', 'content-length: 5', 'transfer-encoding: chunked') + CANARY,
    ],
    ['two lengths', head('POST /v1/callbacks HTTP/1.1', 'host: x', 'content-length: 5', 'content-length: 6') + CANARY],
    ['a length that is none', head('POST /v1/callbacks HTTP/1.1', 'host: x', `content-length: ${CANARY}`)],
    ['a header without a colon', head('GET /healthz HTTP/1.1', 'host: x', CANARY)],
    ['a folded header', head('GET /healthz HTTP/1.1', 'host: x', 'a: b', ` ${CANARY}`)],
  ])('is 400: %s', async (_name, text) => expectProblem(await sendRaw(test.api.port, text), 400, 'malformed_request'));

  it.each([
    ['no host', head('GET /healthz HTTP/1.1', 'connection: close')],
    ['a host that cannot be one', head('GET /healthz HTTP/1.1', `host: ${CANARY}/x?y`, 'connection: close')],
    ['a path that is none', head(`GET \\${CANARY} HTTP/1.1`, 'host: x', 'connection: close')],
  ])('is 400: %s', async (_name, text) => expectProblem(await sendRaw(test.api.port, text), 400, 'malformed_request'));

  it('is 431 with headers beyond measure', async () => {
    const text = head('GET /healthz HTTP/1.1', 'host: x', `x-a: ${CANARY}${'a'.repeat(20_000)}`);
    expectProblem(await sendRaw(test.api.port, text), 431, 'headers_too_large');
  });

  it(verifies('I3', 'and none of it is logged'), () => {
    expect(test.lines.filter((line) => line.includes(CANARY))).toEqual([]);
  });
});

describe('a body', () => {
  const MIB = 1024 * 1024;
  const post = (body: string | ReadableStream) =>
    fetch(`http://127.0.0.1:${test.api.port}/v1/callbacks`, {
      method: 'POST',
      headers: { authorization: `Bearer ${test.adminKey}`, 'content-type': 'application/json', 'idempotency-key': 'k' },
      body,
      ...(body instanceof ReadableStream && { duplex: 'half' }),
    } as RequestInit);
  const stream = (bytes: number) =>
    new ReadableStream({
      start(controller) {
        for (let left = bytes; left > 0; left -= 65_536) controller.enqueue(Buffer.alloc(Math.min(left, 65_536), 'x'));
        controller.close();
      },
    });

  it.each([
    ['one byte too many, announced', 'x'.repeat(MIB + 1)],
    ['far too large, announced', 'x'.repeat(5 * MIB)],
  ])('is 413: %s', async (_name, body) => expectProblem(await toRaw(await post(body)), 413, 'body_too_large'));

  it.each([MIB + 1, 3 * MIB])('is 413: %i bytes in chunks', async (bytes) => {
    expectProblem(await toRaw(await post(stream(bytes))), 413, 'body_too_large');
  });

  it.each(['x'.repeat(MIB), 'x'])('is read up to a mebibyte', async (body) => {
    expectProblem(await toRaw(await post(body)), 400, 'malformed_json');
  });

  it('that ends early is nothing', async () => {
    const before = await test.sql`select 1 from callback`;
    const socket = net.connect(test.api.port, '127.0.0.1');
    const lines = ['POST /v1/callbacks HTTP/1.1', 'host: x', `authorization: Bearer ${test.adminKey}`];
    lines.push('content-type: application/json', 'idempotency-key: k', 'content-length: 100');
    socket.end(`${lines.join('\r\n')}\r\n\r\n{"service":`);
    await new Promise((resolve) => socket.on('close', resolve).resume());
    expect((await test.call('/healthz')).status).toBe(200);
    expect(await test.sql`select 1 from callback`).toHaveLength(before.length);
  });
});

describe('closing', () => {
  it('answers the long polls, frees the port, and cuts idle connections', async () => {
    const { api, call } = await test.another();
    const idle = net.connect(api.port, '127.0.0.1');
    const cut = new Promise((resolve) => idle.on('close', resolve).resume());
    await call('/v1/gates/agent');
    const waiting = Array.from({ length: 20 }, () => call('/v1/gates/agent?wait=60s'));
    // Twenty requests are under way once twenty sockets are; the idle one makes it more.
    await expect.poll(() => countConnections(api.port)).toBeGreaterThanOrEqual(21);
    const startedMs = performance.now();
    await api.close();
    expect(performance.now() - startedMs).toBeLessThan(3000);
    const answers = await Promise.all(waiting);
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    await cut;
    await expect(call('/healthz')).rejects.toThrow('fetch failed');
  });

  it('waits for a request under way, and five seconds at most', async () => {
    const { api } = await test.another();
    const socket = net.connect(api.port, '127.0.0.1');
    const cut = new Promise((resolve) => socket.on('close', resolve).resume());
    const lines = ['POST /v1/callbacks HTTP/1.1', 'host: x', `authorization: Bearer ${test.adminKey}`];
    lines.push('content-type: application/json', 'idempotency-key: k', 'content-length: 100');
    socket.write(`${lines.join('\r\n')}\r\n\r\n{`);
    await expect.poll(() => countConnections(api.port)).toBe(1);
    const startedMs = performance.now();
    await api.close();
    await cut;
    expect(performance.now() - startedMs).toBeGreaterThan(4500);
    expect(performance.now() - startedMs).toBeLessThan(8000);
  });
});

/** Established connections to a port of this machine, as Linux counts them. */
async function countConnections(port: number): Promise<number> {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  const lines = (await readFile('/proc/net/tcp', 'utf8')).split('\n').map((line) => line.trim().split(/\s+/));
  return lines.filter(([, local, , state]) => local?.endsWith(`:${hex}`) && state === '01').length;
}
