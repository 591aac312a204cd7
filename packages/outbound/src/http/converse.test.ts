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
