import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { openEventWriter } from './event-writer.ts';

const WRITE_TIMEOUT_MS = 300;
const DATA = 'x'.repeat(64 * 1024);
/** Twice what may gather: a message that is under way, and what Node holds by default before it asks to wait. */
const MOST_GATHERED = 2 * (DATA.length + 16 * 1024);

const server = createServer();
let client: Socket | undefined;

afterEach(async () => {
  client?.destroy();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** The answer to a client that asks and then reads nothing. */
async function answerUnread(): Promise<ServerResponse> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const asked = once(server, 'request');
  client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.pause();
  client.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  const [, response] = (await asked) as [unknown, ServerResponse];
  return response;
}

it('gathers nothing for a client that does not read, and gives it up', async () => {
  const response = await answerUnread();
  const writer = openEventWriter(response, { retryMs: 1000, writeTimeoutMs: WRITE_TIMEOUT_MS });
  let written = 0;
  let most = 0;
  while (!writer.closed.aborted && most < MOST_GATHERED) {
    const room = writer.write({ id: written, data: DATA });
    most = Math.max(most, response.writableLength);
    await room;
    written += 1;
  }
  expect(response.destroyed).toBe(true);
  // What the system's own buffers took went out; of the rest no more was taken in.
  expect(written).toBeGreaterThan(1);
  expect(most).toBeLessThan(MOST_GATHERED);
  await writer.write({ data: DATA });
  expect(response.writableLength).toBeLessThan(MOST_GATHERED);
});
