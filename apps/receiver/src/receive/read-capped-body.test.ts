import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../../../../test/support/until.ts';
import { openConnection, post } from '../../test/open-connection.ts';
import { HOOK, startTestListener, type TestListener, webhook } from '../../test/start-test-listener.ts';
import { type BodyResult, readCappedBody } from './read-capped-body.ts';

const CAP = 100;
const results: BodyResult[] = [];
/** Whether what follows a body over the cap is read on, and thrown away. */
let flowing: boolean | null = null;
let server: Server;
let port: number;

beforeAll(async () => {
  server = createServer(async (incoming, outgoing) => {
    const result = await readCappedBody(incoming, CAP);
    flowing = incoming.readableFlowing;
    results.push(result);
    outgoing.end(result.kind === 'body' ? result.bytes.toString('latin1') : result.kind);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  results.length = 0;
});

const CHUNKED = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;

describe('reading a body that is capped', () => {
  it('gives the bytes as they came, in however many pieces', async () => {
    const pieces = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '\\', '"'), minLength: 1, maxLength: 20 }), {
      maxLength: 5,
    });
    await fc.assert(
      fc.asyncProperty(pieces, async (parts) => {
        const connection = await openConnection(port);
        connection.send(CHUNKED);
        for (const part of parts) connection.send(chunk(part));
        connection.send('0\r\n\r\n');
        await until(
          'the body',
          () => results.length,
          (count) => count > 0,
        );
        expect(results.pop()).toEqual({ kind: 'body', bytes: Buffer.from(parts.join('')) });
        connection.abort();
      }),
      { numRuns: 25 },
    );
  });

  it('counts what really arrives: a chunked body over the cap is refused before its end', async () => {
    const connection = await openConnection(port);
    connection.send(CHUNKED + chunk('x'.repeat(60)) + chunk('x'.repeat(60)));
    await until(
      'the refusal',
      () => results,
      (seen) => seen.length > 0,
    );
    expect(results).toEqual([{ kind: 'too_large' }]);
    expect(flowing).toBe(false);
    connection.abort();
  });

  it('refuses a Content-Length over the cap without waiting for the body', async () => {
    const connection = await openConnection(port);
    connection.send(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${CAP + 1}\r\n\r\n`);
    await until(
      'the refusal',
      () => results,
      (seen) => seen.length > 0,
    );
    expect(results).toEqual([{ kind: 'too_large' }]);
    connection.abort();
  });

  it('takes a body at the cap', async () => {
    const connection = await openConnection(port);
    connection.send(post('/', 'x'.repeat(CAP)));
    await until(
      'the body',
      () => results,
      (seen) => seen.length > 0,
    );
    expect(results).toEqual([{ kind: 'body', bytes: Buffer.alloc(CAP, 'x') }]);
    connection.abort();
  });

  it('waits for a slow sender, and tells an aborted body from a whole one', async () => {
    const slow = await openConnection(port);
    slow.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nab');
    const other = await openConnection(port);
    other.send(post('/', 'whole'));
    await until(
      'the whole one',
      () => results,
      (seen) => seen.length > 0,
    );
    expect(results).toEqual([{ kind: 'body', bytes: Buffer.from('whole') }]);
    slow.send('cd');
    await until(
      'the slow one',
      () => results,
      (seen) => seen.length > 1,
    );
    expect(results[1]).toEqual({ kind: 'body', bytes: Buffer.from('abcd') });
    expect((await other.answer()).body).toBe('whole');
    other.send('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n');
    expect((await other.answer()).status).toBe(100);
    other.send('ab');
    other.abort();
    await until(
      'the abort',
      () => results,
      (seen) => seen.length > 2,
    );
    expect(results[2]).toEqual({ kind: 'aborted' });
    slow.abort();
  });
});

describe('a request that lies about its length', () => {
  let listener: TestListener;
  beforeAll(async () => {
    listener = await startTestListener();
  });
  afterAll(() => listener.close());

  const head = `POST ${HOOK} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n`;
  const body = webhook();

  it('is answered 413 when a chunked body passes 16 KiB', async () => {
    const answer = await listener.send(
      `${head}Transfer-Encoding: chunked\r\n\r\n${chunk('x'.repeat(17_000))}0\r\n\r\n`,
    );
    expect(answer.status).toBe(413);
  });

  it.each([
    ['no number', 'Content-Length: 12x\r\n'],
    ['negative', 'Content-Length: -1\r\n'],
    ['two that differ', `Content-Length: ${body.length}\r\nContent-Length: ${body.length + 1}\r\n`],
    ['beside Transfer-Encoding', `Content-Length: ${body.length}\r\nTransfer-Encoding: chunked\r\n`],
    ['an unknown encoding before chunked', 'Transfer-Encoding: chunked, identity\r\n'],
  ])('is answered 400 and cut off: %s', async (_name, length) => {
    const connection = await openConnection(listener.port);
    connection.send(`${head}${length}\r\n${body}`);
    expect((await connection.answer()).status).toBe(400);
    await connection.closed;
    expect(listener.submitted).toEqual([]);
  });

  it('leaves nothing behind when it breaks off', async () => {
    const connection = await openConnection(listener.port);
    connection.send(`${head}Content-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`);
    expect((await connection.answer()).status).toBe(100);
    connection.send(body.slice(0, 20));
    connection.abort();
    await until(
      'the abort',
      () => listener.rejected.at(-1)?.reason,
      (reason) => reason === 'aborted',
    );
    expect(listener.submitted).toEqual([]);
    expect((await listener.send(post(HOOK, body))).status).toBe(202);
  });
});
