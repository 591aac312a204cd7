import net from 'node:net';
import {
  type BackendFactory,
  type IQueueBackend,
  PostgresConnection,
  type PostgresConnectionOptions,
  PostgresQueueBackend,
  withBackend,
} from 'bullmq';
import { alarmId, ROOMS, type Room } from './alarm.ts';
import type { BackendOptions, OpenBackend } from './backend.ts';
import { failureCode } from './failure-code.ts';
import { producerOptions, toJobOptions } from './job-options.ts';
import { paceFetches } from './pace-fetches.ts';
import { createProcessor, runWorker, workerOptions } from './run-worker.ts';
import { withDeadline } from './with-deadline.ts';

const CONNECT_TIMEOUT_MS = 3000;
const QUERY_TIMEOUT_MS = 10_000;
const CLOSE_TIMEOUT_MS = 2000;
const POOL_SIZE = 2;

type PostgresFactory = BackendFactory<IQueueBackend, PostgresConnectionOptions>;

interface Link {
  readonly connection: PostgresConnection;
  close(): Promise<void>;
}

/**
 * BullMQ on Postgres, in a schema of its own named `prefix`. Migrates first, under BullMQ's advisory lock, because a
 * worker on a missing schema spins. Rejects with the driver's error when the database cannot be used.
 */
export async function openPostgresBackend(options: BackendOptions): Promise<OpenBackend> {
  const link = connect(options, null, true);
  try {
    await link.connection.waitUntilReady();
  } catch (error) {
    await link.close();
    throw error;
  }
  const shared: PostgresFactory = (name, opts) => new PostgresQueueBackend(link.connection, name, opts, false);
  const { Queue } = withBackend(shared);
  const producers = new Map(ROOMS.map((room) => [room, new Queue(room, producerOptions(options.url))]));
  for (const [room, producer] of producers) {
    producer.on('error', (error) => options.onError({ code: failureCode(error), room }));
  }
  return {
    async addAlarm(room, bucketMs, delayMs) {
      await producers.get(room)?.add(room, { dueAtMs: bucketMs }, toJobOptions(room, alarmId(room, bucketMs), delayMs));
    },
    async startWorker(room, handler, concurrency) {
      const own = connect(options, room, false);
      const paced: PostgresFactory = (name, opts) =>
        paceFetches(new PostgresQueueBackend(own.connection, name, opts, true, name));
      const { Worker } = withBackend(paced);
      const worker = new Worker(room, createProcessor(room, handler), {
        ...workerOptions(concurrency),
        connection: options.url,
      });
      return runWorker(worker, room, options.onError, own.close);
    },
    async ping() {
      await link.connection.pool.query('select 1');
    },
    async close() {
      await Promise.allSettled([...producers.values()].map((producer) => producer.close()));
      await link.close();
    },
  };
}

/** A pool that never outlives its close: sockets still open after a grace period (a dead peer) are destroyed. */
function connect(options: BackendOptions, room: Room | null, migrate: boolean): Link {
  const sockets = new Set<net.Socket>();
  let closed = false;
  const connection = new PostgresConnection({
    ...splitOptions(options.url),
    schema: options.prefix,
    migrate,
    max: POOL_SIZE,
    application_name: 'tidegate-queue',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    keepAlive: true,
    stream: () => {
      const socket = new net.Socket();
      sockets.add(socket);
      socket.once('connect', () => closed && socket.destroy());
      return socket.once('close', () => sockets.delete(socket));
    },
  });
  // BullMQ checks clients out without an error listener, so a server that dies then would end the process.
  connection.pool.on('connect', (client) => client.on('error', () => undefined));
  connection.on('error', (error) => options.onError({ code: failureCode(error), room }));
  const close = async () => {
    await withDeadline(connection.close(), CLOSE_TIMEOUT_MS).catch(() => undefined);
    closed = true;
    for (const socket of sockets) {
      socket.destroy();
    }
  };
  return { connection, close };
}

/** BullMQ selects its schema by the `options` start-up parameter, which one in the URL would override: join them. */
function splitOptions(databaseUrl: string): { connectionString: string; options?: string } {
  if (!URL.canParse(databaseUrl)) {
    return { connectionString: databaseUrl };
  }
  const url = new URL(databaseUrl);
  const options = url.searchParams.get('options');
  url.searchParams.delete('options');
  return options === null ? { connectionString: databaseUrl } : { connectionString: url.href, options };
}
