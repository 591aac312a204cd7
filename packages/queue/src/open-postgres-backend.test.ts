import { once } from 'node:events';
import net from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startTestPostgres } from '../../../test/support/servers.ts';
import { until } from '../../../test/support/until.ts';
import { verifies } from '../../../test/support/verifies.ts';
import { createQueue, type Queue } from './index.ts';

/** ReadyForQuery of an idle session, as PostgreSQL's protocol 3.0 spells it. */
const READY = Buffer.from('5a0000000549', 'hex');

/** Terminate: what a client says last. */
const TERMINATE = Buffer.from('5800000004', 'hex');

/** ErrorResponse: what a session is told when its server is stopped. */
const GOODBYE = (() => {
  const fields = Buffer.from('SFATAL\0VFATAL\0C57P01\0Mterminating connection\0\0');
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeUInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
})();

/** A relay before a server that stops at a bad moment. */
async function startGoodbyeRelay(target: URL) {
  let countdown = 0;
  let goodbyes = 0;
  let crossing = false;
  const sockets = new Set<net.Socket>();
  const server = net.createServer((near) => {
    const far = net.connect(Number(target.port), target.hostname);
    const doomed = countdown > 0 && --countdown === 0;
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => [near, far].forEach((one) => void sockets.delete(one.destroy())));
    }
    near.on('data', (chunk) => {
      if (!crossing || !chunk.subarray(-TERMINATE.length).equals(TERMINATE)) return void far.write(chunk);
      goodbyes += 1;
      near.end(GOODBYE);
      far.destroy();
    });
    far.on('data', (chunk) => {
      if (!doomed || !chunk.subarray(-READY.length).equals(READY)) return void near.write(chunk);
      goodbyes += 1;
      near.end(Buffer.concat([chunk, GOODBYE]));
      far.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as net.AddressInfo).port);
  return {
    url: url.href,
    /** Ends the session of the n-th connection from now in the packet that makes it ready. */
    endNth(n: number) {
      countdown = n;
    },
    /** Ends each session just as its client wants to leave. */
    endLeaving() {
      crossing = true;
    },
    goodbyes: () => goodbyes,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

describe('the queue on a Postgres that stops at a bad moment', () => {
  let postgres: Awaited<ReturnType<typeof startTestPostgres>>;
  let relay: Awaited<ReturnType<typeof startGoodbyeRelay>>;
  let queue: Queue | null = null;

  beforeAll(async () => {
    postgres = await startTestPostgres();
    relay = await startGoodbyeRelay(new URL(postgres.url));
  });
  afterEach(() => queue?.close());
  afterAll(async () => {
    await relay?.close();
    await postgres?.stop();
  });

  it.each([1, 2, 3, 4])(
    verifies('I12', 'goes on when a session ends as it begins, the %s. since a consumer started'),
    async (n) => {
      const fired: number[] = [];
      queue = await createQueue({ databaseUrl: relay.url, redisUrl: null, prefix: `goodbye_${n}` });
      const before = relay.goodbyes();
      relay.endNth(n);
      queue.consume('verify', async (dueAtMs) => void fired.push(dueAtMs), { concurrency: 1 });
      const sets = async () => {
        await queue?.publish([{ room: 'verify', dueAtMs: Date.now() }]).catch(() => undefined);
        return fired.length;
      };
      await until('an alarm fires', sets, (count) => count > 0);
      expect(relay.goodbyes()).toBe(before + 1);
    },
  );

  it('closes when its sessions end as it leaves them', async () => {
    queue = await createQueue({ databaseUrl: relay.url, redisUrl: null, prefix: 'goodbye_leaving' });
    const fired: number[] = [];
    queue.consume('verify', async (dueAtMs) => void fired.push(dueAtMs), { concurrency: 1 });
    await queue.publish([{ room: 'verify', dueAtMs: Date.now() }]);
    await until(
      'the consumer runs',
      () => fired.length,
      (count) => count > 0,
    );
    const before = relay.goodbyes();
    relay.endLeaving();
    await queue.close();
    expect(relay.goodbyes()).toBeGreaterThan(before);
  });
});
