import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDial } from './dial.ts';

const SILENCE_MS = 100;

let server: Server;
let port: number;
/** What the other end does with each connection. */
let serve: (socket: Socket) => void;

beforeEach(async () => {
  serve = () => undefined;
  server = createServer((socket) => serve(socket.on('error', () => undefined)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  port = typeof address === 'object' && address !== null ? address.port : 0;
});
afterEach(() => new Promise<void>((resolve) => void server.close(() => resolve())));

const untilClosed = (socket: Socket) => new Promise<boolean>((resolve) => socket.once('close', resolve));

describe('a connection to the database', () => {
  it('ends itself when the other end falls silent, without counting as failed', async () => {
    const socket = createDial(SILENCE_MS)({ host: ['127.0.0.1'], port: [port] });
    const startedAt = performance.now();
    expect(await untilClosed(socket)).toBe(false);
    expect(performance.now() - startedAt).toBeGreaterThan(SILENCE_MS / 2);
  });

  it('also when every listener was taken off it meanwhile', async () => {
    const socket = createDial(SILENCE_MS)({ host: ['127.0.0.1'], port: [port] });
    socket.removeAllListeners();
    await untilClosed(socket);
    expect(socket.destroyed).toBe(true);
  });

  it('lives while bytes come', async () => {
    serve = (socket) => {
      let left = 10;
      const timer = setInterval(() => {
        left -= 1;
        if (left > 0) socket.write('x');
        else socket.end();
      }, SILENCE_MS / 4);
      socket.once('close', () => clearInterval(timer));
    };
    const socket = createDial(SILENCE_MS)({ host: ['127.0.0.1'], port: [port] });
    let received = '';
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('utf8');
    });
    await untilClosed(socket);
    expect(received).toHaveLength(9);
  });

  it('tries several hosts in turn', async () => {
    const dial = createDial(SILENCE_MS);
    const options = { host: ['127.0.0.1', 'localhost'], port: [port, port] };
    const names = [dial(options), dial(options), dial(options)].map((socket) => {
      socket.on('error', () => undefined).destroy();
      return Reflect.get(socket, 'host');
    });
    expect(names).toEqual(['127.0.0.1', 'localhost', '127.0.0.1']);
  });
});
