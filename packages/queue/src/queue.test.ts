import net from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '@tidegate/core';
import { Redis } from 'ioredis';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { startTestPostgres, startTestRedis } from '../../../test/support/servers.ts';
import { verifies } from '../../../test/support/verifies.ts';
import { createQueue, type Queue, type QueueFailure } from './index.ts';

const CANARY = 'canary-4f1c9e';

/** A TCP relay in front of a server: cut, it refuses everybody, as a server being restarted does. */
async function startRelay(target: URL) {
  const sockets = new Set<net.Socket>();
  let server = await listen(0);
  const { port } = server.address() as net.AddressInfo;

  function listen(onPort: number): Promise<net.Server> {
    const created = net.createServer((inbound) => {
      const outbound = net.connect(Number(target.port), target.hostname);
      for (const [from, to] of [
        [inbound, outbound],
        [outbound, inbound],
      ] as const) {
        sockets.add(from);
        from.on('error', () => undefined);
        from.on('close', () => {
          sockets.delete(from);
          to.destroy();
        });
        from.pipe(to);
      }
    });
    return new Promise((resolve) => created.listen(onPort, '127.0.0.1', () => resolve(created)));
  }

  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String(port);
  return {
    url: url.href,
    openSockets: () => sockets.size,
    freeze: () => {
      for (const socket of sockets) {
        socket.pause();
      }
    },
    thaw: () => {
      for (const socket of sockets) {
        socket.resume();
      }
    },
    cut: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) {
        socket.destroy();
      }
      await closed;
    },
    mend: async () => {
      server = await listen(port);
    },
  };
}

type Relay = Awaited<ReturnType<typeof startRelay>>;

interface Store {
  relay: Relay;
  options: { databaseUrl: string; redisUrl: string | null };
  /** Everything the store holds under a prefix, as text. */
  dump(prefix: string): Promise<string>;
  /** Ends every client's session on the server's side. */
  endSessions(): Promise<void>;
  stop(): Promise<void>;
}

async function startPostgresStore(): Promise<Store> {
  const server = await startTestPostgres();
  const relay = await startRelay(new URL(server.url));
  return {
    relay,
    options: { databaseUrl: relay.url, redisUrl: null },
    async dump(prefix) {
      const client = new pg.Client(server.url);
      await client.connect();
      const { rows } = await client.query(
        `select j::text as line from "${prefix}".job j union all select e::text from "${prefix}".event e`,
      );
      await client.end();
      return rows.map((row: { line: string }) => row.line).join('\n');
    },
    async endSessions() {
      const client = new pg.Client(server.url);
      await client.connect();
      await client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
      );
      await client.end();
    },
    async stop() {
      await relay.cut();
      await server.stop();
    },
  };
}

async function startRedisStore(): Promise<Store> {
  const server = await startTestRedis();
  const relay = await startRelay(new URL(server.url));
  return {
    relay,
    options: { databaseUrl: 'postgres://nobody@127.0.0.1:1/none', redisUrl: relay.url },
    async dump(prefix) {
      const client = new Redis(server.url);
      const lines: string[] = [];
      for (const key of await client.keys(`${prefix}:*`)) {
        const type = await client.type(key);
        lines.push(key, type === 'hash' ? JSON.stringify(await client.hgetall(key)) : '');
        lines.push(type === 'stream' ? JSON.stringify(await client.xrange(key, '-', '+')) : '');
      }
      client.disconnect();
      return lines.join('\n');
    },
    async endSessions() {
      const client = new Redis(server.url);
      await client.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
      client.disconnect();
    },
    async stop() {
      await relay.cut();
      await server.stop();
    },
  };
}

describe.each([
  ['Postgres', startPostgresStore],
  ['Redis', startRedisStore],
])('the queue on %s', (_name, startStore) => {
  let store: Store;
  let prefix: string;
  let prefixes = 0;
  const queues: Queue[] = [];
  const failures: QueueFailure[] = [];

  async function open(): Promise<Queue> {
    const queue = await createQueue({ ...store.options, prefix, onError: (failure) => failures.push(failure) });
    queues.push(queue);
    return queue;
  }

  beforeAll(async () => {
    store = await startStore();
  }, 60_000);
  afterAll(() => store.stop());
  afterEach(async () => {
    await Promise.all(queues.splice(0).map((queue) => queue.close()));
    failures.length = 0;
  });
  beforeEach(() => {
    prefixes += 1;
    prefix = `conformance_${prefixes}`;
  });

  it('fires an alarm at its time, with its bucket', async () => {
    const queue = await open();
    const fired: { atMs: number; dueAtMs: number }[] = [];
    queue.consume('correlate', async (dueAtMs) => void fired.push({ atMs: Date.now(), dueAtMs }), { concurrency: 2 });
    const dueAtMs = Date.now() + 700;
    await queue.publish([{ room: 'correlate', dueAtMs }]);
    await vi.waitFor(() => expect(fired).toHaveLength(1), { timeout: 5000 });
    const [alarm] = fired;
    expect(alarm?.dueAtMs).toBeGreaterThanOrEqual(dueAtMs);
    expect(alarm?.dueAtMs).toBeLessThan(dueAtMs + 250);
    expect(alarm?.atMs).toBeGreaterThanOrEqual((alarm?.dueAtMs ?? 0) - 5);
    expect(alarm?.atMs).toBeLessThan(dueAtMs + 4000);
  });

  it('wakes a sleeping worker for an alarm nearer than the one it sleeps for', async () => {
    const queue = await open();
    const fired: number[] = [];
    await queue.publish([{ room: 'correlate', dueAtMs: Date.now() + 3_600_000 }]);
    queue.consume('correlate', async (dueAtMs) => void fired.push(dueAtMs), { concurrency: 1 });
    await delay(500);
    await queue.publish([{ room: 'correlate', dueAtMs: Date.now() }]);
    await vi.waitFor(() => expect(fired).toHaveLength(1), { timeout: 2000 });
  });

  it('makes one job of alarms in one bucket, also from several publishers at once', async () => {
    const [first, second] = [await open(), await open()];
    const fired: number[] = [];
    first.consume('verify', async (dueAtMs) => void fired.push(dueAtMs), { concurrency: 4 });
    const dueAtMs = Math.ceil((Date.now() + 1000) / 250) * 250;
    const alarms = Array.from({ length: 5 }, (_, i) => ({ room: 'verify' as const, dueAtMs: dueAtMs - i }));
    await Promise.all(Array.from({ length: 10 }, (_, i) => (i % 2 ? first : second).publish(alarms)));
    const sentinel = { room: 'verify' as const, dueAtMs: dueAtMs + 750 };
    await second.publish([sentinel]);
    await vi.waitFor(() => expect(fired).toContain(sentinel.dueAtMs), { timeout: 5000 });
    expect(fired).toEqual([dueAtMs, sentinel.dueAtMs]);
  });

  it('fires again an alarm that is set again after it fired, or while its handler runs', async () => {
    const queue = await open();
    let runs = 0;
    queue.consume(
      'release',
      async () => {
        runs += 1;
        if (runs === 1) {
          await queue.publish([{ room: 'release', dueAtMs: 0 }]);
        }
      },
      { concurrency: 1 },
    );
    await queue.publish([{ room: 'release', dueAtMs: 0 }]);
    await vi.waitFor(() => expect(runs).toBe(2), { timeout: 5000 });
    await queue.publish([{ room: 'release', dueAtMs: 0 }]);
    await vi.waitFor(() => expect(runs).toBe(3), { timeout: 5000 });
  });

  it('keeps the rooms apart', async () => {
    const queue = await open();
    const fired: string[] = [];
    for (const room of ['correlate', 'verify', 'release'] as const) {
      queue.consume(room, async () => void fired.push(room), { concurrency: 1 });
    }
    await queue.publish([{ room: 'verify', dueAtMs: 0 }]);
    await vi.waitFor(() => expect(fired).toEqual(['verify']), { timeout: 5000 });
  });

  it('leaves nothing behind once an alarm fired', async () => {
    const queue = await open();
    let runs = 0;
    queue.consume(
      'verify',
      async () => {
        runs += 1;
      },
      { concurrency: 1 },
    );
    await queue.publish([{ room: 'verify', dueAtMs: 0 }]);
    await vi.waitFor(() => expect(runs).toBe(1), { timeout: 5000 });
    await vi.waitFor(async () => expect(await store.dump(prefix)).not.toContain('"dueAtMs"'), { timeout: 5000 });
  });

  it(verifies('I3', 'retries a throwing handler and stores its code only'), async () => {
    const queue = await open();
    let runs = 0;
    queue.consume(
      'correlate',
      async () => {
        runs += 1;
        if (runs === 1) {
          throw new AppError({ code: 'sealed_value_corrupt', publicMessage: CANARY, detail: CANARY });
        }
        if (runs === 2) {
          throw new Error(`no code, but ${CANARY}`);
        }
      },
      { concurrency: 1 },
    );
    await queue.publish([{ room: 'correlate', dueAtMs: 0 }]);
    let stored = '';
    await vi.waitFor(
      async () => {
        stored += await store.dump(prefix);
        expect(stored).toContain('sealed_value_corrupt');
        expect(stored).toContain('unexpected');
        expect(runs).toBe(3);
      },
      { timeout: 10_000, interval: 20 },
    );
    expect(stored).not.toContain(CANARY);
    expect(stored).not.toContain('at ');
    expect(JSON.stringify(failures)).not.toContain(CANARY);
    expect(failures).toContainEqual({ code: 'sealed_value_corrupt', room: 'correlate' });
  });

  it(
    verifies('I12', 'survives a restart of its store: consumers go on, publishers fail fast and recover'),
    async () => {
      const queue = await open();
      const fired: number[] = [];
      queue.consume('verify', async (dueAtMs) => void fired.push(dueAtMs), { concurrency: 2 });
      await queue.publish([{ room: 'verify', dueAtMs: 0 }]);
      await vi.waitFor(() => expect(fired).toHaveLength(1), { timeout: 5000 });
      await queue.publish([{ room: 'verify', dueAtMs: Date.now() + 1500 }]);

      await store.relay.cut();
      const startedMs = Date.now();
      const refused = queue.publish([{ room: 'verify', dueAtMs: 0 }]);
      await expect(refused).rejects.toMatchObject({ code: 'queue_unavailable', retryable: true });
      expect(Date.now() - startedMs).toBeLessThan(4000);
      expect(await queue.ping()).toBe(false);
      await delay(1000);
      await store.relay.mend();

      await vi.waitFor(() => expect(fired.length).toBeGreaterThanOrEqual(2), { timeout: 5000 });
      await vi.waitFor(() => queue.publish([{ room: 'verify', dueAtMs: 0 }]), { timeout: 5000 });
      await vi.waitFor(() => expect(fired.length).toBeGreaterThanOrEqual(3), { timeout: 5000 });
      expect(await queue.ping()).toBe(true);
      expect(failures.length).toBeGreaterThan(0);
      expect(failures.length).toBeLessThan(30);
    },
  );

  it(verifies('I12', 'goes on when the server ends its sessions, again and again'), async () => {
    const queue = await open();
    const fired: number[] = [];
    queue.consume('verify', async (dueAtMs) => void fired.push(dueAtMs), { concurrency: 2 });
    for (let round = 1; round <= 3; round += 1) {
      await vi.waitFor(() => queue.publish([{ room: 'verify', dueAtMs: 0 }]), { timeout: 5000 });
      await store.endSessions();
      await vi.waitFor(() => expect(fired.length).toBeGreaterThanOrEqual(round), { timeout: 8000 });
    }
  });

  it(verifies('I12', 'starts while its store is down, and works once it is up'), async () => {
    await store.relay.cut();
    const queue = await open();
    const fired: number[] = [];
    queue.consume('verify', async (dueAtMs) => void fired.push(dueAtMs), { concurrency: 1 });
    await expect(queue.publish([{ room: 'verify', dueAtMs: 0 }])).rejects.toMatchObject({ retryable: true });
    await store.relay.mend();
    await vi.waitFor(() => queue.publish([{ room: 'verify', dueAtMs: 0 }]), { timeout: 5000 });
    await vi.waitFor(() => expect(fired).toHaveLength(1), { timeout: 5000 });
  });

  it('rejects within its deadline when the store accepts and never answers', async () => {
    const queue = await open();
    await queue.publish([{ room: 'verify', dueAtMs: Date.now() + 60_000 }]);
    store.relay.freeze();
    const startedMs = Date.now();
    const refused = queue.publish([{ room: 'verify', dueAtMs: 0 }]);
    await expect(refused).rejects.toMatchObject({ code: 'queue_unavailable', detail: 'timeout' });
    expect(Date.now() - startedMs).toBeLessThan(4000);
    await queue.close();
    store.relay.thaw();
    await vi.waitFor(() => expect(store.relay.openSockets()).toBe(0), { timeout: 2000 });
  });

  it('waits for running handlers when it closes, and leaves no connection', async () => {
    const queue = await open();
    let ended = false;
    let begun = false;
    queue.consume(
      'release',
      async () => {
        begun = true;
        await delay(400);
        ended = true;
      },
      { concurrency: 1 },
    );
    await queue.publish([{ room: 'release', dueAtMs: 0 }]);
    await vi.waitFor(() => expect(begun).toBe(true), { timeout: 5000 });
    await queue.close();
    await queue.close();
    expect(ended).toBe(true);
    await vi.waitFor(() => expect(store.relay.openSockets()).toBe(0), { timeout: 2000 });
    await expect(queue.publish([{ room: 'release', dueAtMs: 0 }])).rejects.toMatchObject({ code: 'queue_closed' });
  });

  it('closes in time while its store is down', async () => {
    const queue = await open();
    queue.consume('release', async () => undefined, { concurrency: 1 });
    await queue.publish([{ room: 'release', dueAtMs: 0 }]);
    await store.relay.cut();
    const startedMs = Date.now();
    await queue.close();
    expect(Date.now() - startedMs).toBeLessThan(8000);
    await store.relay.mend();
    await delay(1500);
    expect(store.relay.openSockets()).toBe(0);
  });

  it('refuses an alarm it cannot set', async () => {
    const queue = await open();
    const alarm = { room: 'verify' as const, dueAtMs: Number.NaN };
    await expect(queue.publish([alarm])).rejects.toMatchObject({ code: 'alarm_invalid', retryable: false });
  });
});

describe('the eviction policy of Redis', () => {
  let server: Awaited<ReturnType<typeof startTestRedis>>;
  let admin: Redis;
  const databaseUrl = 'postgres://nobody@127.0.0.1:1/none';

  beforeAll(async () => {
    server = await startTestRedis();
    admin = new Redis(server.url);
    await admin.call('ACL', 'SETUSER', 'managed', 'on', '>invented', '~*', '&*', '+@all', '-config');
  }, 60_000);
  afterAll(async () => {
    admin.disconnect();
    await server.stop();
  });

  it.each(['allkeys-lru', 'volatile-ttl', 'allkeys-random'])('is refused when it is %s', async (policy) => {
    await admin.config('SET', 'maxmemory-policy', policy);
    const refused = createQueue({ databaseUrl, redisUrl: server.url });
    await expect(refused).rejects.toMatchObject({ code: 'redis_eviction', retryable: false });
  });

  it('is read from INFO where CONFIG is forbidden', async () => {
    const redisUrl = server.url.replace('redis://', 'redis://managed:invented@');
    await admin.config('SET', 'maxmemory-policy', 'allkeys-lru');
    await expect(createQueue({ databaseUrl, redisUrl })).rejects.toMatchObject({ code: 'redis_eviction' });
    await admin.config('SET', 'maxmemory-policy', 'noeviction');
    const queue = await createQueue({ databaseUrl, redisUrl });
    expect(await queue.ping()).toBe(true);
    await queue.close();
  });

  it('is not asked for when the password is wrong: that is refused too, at once', async () => {
    const redisUrl = server.url.replace('redis://', 'redis://managed:wrong@');
    await expect(createQueue({ databaseUrl, redisUrl })).rejects.toMatchObject({ code: 'queue_refused' });
  });
});
