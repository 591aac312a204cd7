import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/support/verifies.ts';
import { startTcp } from '../../test/loopback.ts';
import { parseDestination } from '../guard/destination.ts';
import { converse, type Message } from './converse.ts';
import { startDeadline } from './deadline.ts';

const MESSAGE: Message = {
  method: 'POST',
  headers: {},
  body: Buffer.from('x'),
  maxBodyBytes: 100,
  mayWrite: () => true,
};

async function open(port: number): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port });
  socket.on('error', () => {});
  await firstOf(socket, 'connect', 'close');
  return socket;
}

async function firstOf(socket: Socket, ...events: string[]): Promise<void> {
  if (socket.closed) return;
  await new Promise((resolve) => {
    for (const event of events) socket.once(event, resolve);
  });
}

async function speak(socket: Socket, url: string, timeoutMs = 5000) {
  const parsed = parseDestination(url);
  if (!parsed.ok) throw new Error('test URL does not parse');
  const deadline = startDeadline(timeoutMs);
  const conversation = await converse(socket, parsed.destination, MESSAGE, deadline);
  deadline.stop();
  return conversation;
}

describe(
  verifies('I7', 'a connection that is gone before the first byte carries nothing, and no other is opened'),
  () => {
    it('closed by us', async () => {
      const server = await startTcp(() => {});
      const socket = await open(server.port);
      socket.destroy();
      expect(await speak(socket, server.url)).toEqual({ kind: 'not_sent', reason: 'reset' });
    });

    it.each([
      ['reset by the peer', (socket: Socket) => void socket.resetAndDestroy()],
      ['answered before it was asked', (socket: Socket) => void socket.end('HTTP/1.1 200 OK\r\n\r\n')],
    ])('%s', async (_name, leave) => {
      let accepted = 0;
      const server = await startTcp((peer) => {
        accepted += 1;
        leave(peer);
      });
      const socket = await open(server.port);
      await firstOf(socket, 'readable', 'close');
      expect(await speak(socket, server.url)).toEqual({ kind: 'not_sent', reason: 'reset' });
      expect(accepted).toBe(1);
    });

    it('time already over', async () => {
      const server = await startTcp(() => {});
      const socket = await open(server.port);
      const parsed = parseDestination(server.url);
      const deadline = startDeadline(60_000);
      deadline.abort();
      const conversation = parsed.ok && (await converse(socket, parsed.destination, MESSAGE, deadline));
      expect(conversation).toEqual({ kind: 'not_sent', reason: 'aborted' });
    });
  },
);

it(verifies('I7', 'an informational answer is no answer'), async () => {
  const server = await startTcp((socket) => {
    socket.once('data', () => socket.end('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'));
  });
  expect(await speak(await open(server.port), server.url)).toEqual({ kind: 'unanswered', reason: 'reset' });
});

describe('an interim answer that nobody asked for is passed over', () => {
  const FINAL = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
  const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
  const HINTS = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n';

  /** Writes the parts in their order, each once the one before it has left. */
  const tell = (parts: readonly string[]) =>
    startTcp((socket) => {
      const next = (index: number): void => {
        const part = parts[index];
        if (part !== undefined) socket.write(part, () => setImmediate(next, index + 1));
      };
      socket.once('data', () => next(0));
    });

  it.each<[string, readonly string[]]>([
    ['before the answer', [CONTINUE, FINAL]],
    ['in one piece with it', [CONTINUE + FINAL]],
    ['several times', [CONTINUE, HINTS, CONTINUE + HINTS, FINAL]],
    ['byte by byte', [...(CONTINUE + FINAL)]],
    ['after another', [HINTS + CONTINUE, FINAL]],
  ])(verifies('I7', 'a 100 %s'), async (_name, parts) => {
    const server = await tell(parts);
    const conversation = await speak(await open(server.port), server.url);
    expect(conversation).toMatchObject({ kind: 'answered', status: 200, ending: 'complete' });
    expect(conversation).toMatchObject({ body: Buffer.from('ok') });
  });

  it.each<[string, readonly string[], string]>([
    ['is no answer when silence follows', [CONTINUE], 'timeout'],
    ['is no switch of protocols', ['HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'], 'reset'],
    ['is not waited for when its head has no end', [`${HINTS.slice(0, -2)}x: ${'a'.repeat(40_000)}`], 'malformed'],
  ])(verifies('I7', 'a 1xx %s'), async (_name, parts, reason) => {
    const server = await tell(parts);
    const conversation = await speak(await open(server.port), server.url, reason === 'timeout' ? 100 : 5000);
    expect(conversation).toEqual({ kind: 'unanswered', reason });
  });

  it('does not touch a body that looks like one', async () => {
    const body = `${CONTINUE}${FINAL}`;
    const server = await tell([`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n`, ...body]);
    expect(await speak(await open(server.port), server.url)).toMatchObject({ body: Buffer.from(body) });
  });
});
