import { type BackendFactory, createRedisBackend, type IQueueBackend, Queue, withBackend } from 'bullmq';
import { Redis, type RedisOptions } from 'ioredis';
import { alarmId, ROOMS, type Room } from './alarm.ts';
import type { BackendOptions, OpenBackend } from './backend.ts';
import { checkEvictionPolicy } from './check-eviction-policy.ts';
import { failureCode } from './failure-code.ts';
import { producerOptions, toJobOptions } from './job-options.ts';
import { paceFetches } from './pace-fetches.ts';
import { createProcessor, runWorker, workerOptions } from './run-worker.ts';

const CONNECT_TIMEOUT_MS = 3000;
const DISCONNECT_TIMEOUT_MS = 500;
/** Time without an answer after which a connection counts as dead; a worker's blocking read may last 5 s. */
const PRODUCER_SILENCE_MS = 3000;
const WORKER_SILENCE_MS = 15_000;

const COMMON = {
  lazyConnect: true,
  connectTimeout: CONNECT_TIMEOUT_MS,
  disconnectTimeout: DISCONNECT_TIMEOUT_MS,
  retryStrategy: (times) => Math.min(times * 100, 1000),
  // After a failover the old primary answers READONLY: go and find the new one, then repeat the command.
  reconnectOnError: (error) => (error.message.startsWith('READONLY') ? 2 : false),
} satisfies RedisOptions;

type Patience = Required<Pick<RedisOptions, 'maxRetriesPerRequest' | 'socketTimeout'>>;

interface Link {
  readonly client: Redis;
  /** Ends the client and every copy that BullMQ made of it. */
  free(): void;
}

/**
 * BullMQ on Redis (or Valkey), keys under `prefix`. Rejects with AppError `redis_eviction` when Redis may evict jobs, and
 * with the driver's error when it cannot be used.
 */
export async function openRedisBackend(options: BackendOptions): Promise<OpenBackend> {
  // One retry rejects quickly while Redis is down and recovers by itself; `null` would hang the caller.
  const shared = await connect(options, null, { maxRetriesPerRequest: 1, socketTimeout: PRODUCER_SILENCE_MS });
  const { client } = shared;
  try {
    await checkEvictionPolicy(client);
  } catch (error) {
    shared.free();
    throw error;
  }
  const producers = new Map<Room, Queue>();
  for (const room of ROOMS) {
    const producer = new Queue(room, { ...producerOptions(client), prefix: options.prefix });
    producer.on('error', (error) => options.onError({ code: failureCode(error), room }));
    producers.set(room, producer);
  }
  const paced: BackendFactory<IQueueBackend> = (name, opts, extra) =>
    paceFetches(createRedisBackend(name, opts, extra));
  const { Worker } = withBackend(paced);
  return {
    async addAlarm(room, bucketMs, delayMs) {
      await producers.get(room)?.add(room, { dueAtMs: bucketMs }, toJobOptions(room, alarmId(room, bucketMs), delayMs));
    },
    async startWorker(room, handler, concurrency) {
      const own = await connect(options, room, { maxRetriesPerRequest: null, socketTimeout: WORKER_SILENCE_MS });
      const worker = new Worker(room, createProcessor(room, handler), {
        ...workerOptions(concurrency),
        connection: own.client,
        prefix: options.prefix,
      });
      return runWorker(worker, room, options.onError, async () => own.free());
    },
    async ping() {
      await client.ping();
    },
    async close() {
      await Promise.allSettled([...producers.values()].map((producer) => producer.close()));
      shared.free();
    },
  };
}

/** Connects once; a connection that was up reconnects by itself from then on, until `free`. */
async function connect(options: BackendOptions, room: Room | null, patience: Patience): Promise<Link> {
  const client = new Redis(options.url, { ...COMMON, ...patience });
  const clients = [client];
  let lastError: unknown = null;
  const report = (error: unknown) => {
    lastError = error;
    options.onError({ code: failureCode(error), room });
  };
  client.on('error', report);
  // BullMQ makes a second client for its blocking reads and loses hold of it when it closes while reconnecting.
  const duplicate = client.duplicate.bind(client);
  client.duplicate = (override) => {
    const copy = duplicate(override);
    clients.push(copy.on('error', report));
    return copy;
  };
  const free = () => clients.forEach(shut);
  try {
    await client.connect();
    return { client, free };
  } catch (error) {
    free();
    throw lastError ?? error;
  }
}

/** Ends a client for good: neither ioredis nor BullMQ can connect it again. */
function shut(client: Redis): void {
  client.connect = () => Promise.reject(new Error('Connection is closed.'));
  if (client.status !== 'end' || client.stream?.destroyed === false) {
    client.disconnect();
  }
}
