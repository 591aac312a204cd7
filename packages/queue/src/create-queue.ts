import type { AppError } from '@tidegate/core';
import { type Alarm, bucketAlarms, type Room } from './alarm.ts';
import type { AlarmHandler, OpenBackend, QueueFailure } from './backend.ts';
import { createBackendLink } from './backend-link.ts';
import { toQueueError } from './failure-code.ts';
import { limitReports } from './limit-reports.ts';
import { openPostgresBackend } from './open-postgres-backend.ts';
import { openRedisBackend } from './open-redis-backend.ts';
import { type Consumer, startConsumer } from './start-consumer.ts';
import { withDeadline } from './with-deadline.ts';

const DEFAULT_PREFIX = 'tidegate_queue';
const OPEN_DEADLINE_MS = 10_000;
const PUBLISH_DEADLINE_MS = 2000;
const PING_DEADLINE_MS = 1000;
const CLOSE_DEADLINE_MS = 3000;

export interface QueueOptions {
  readonly databaseUrl: string;
  /** Null runs the queue on the Postgres of `databaseUrl`. */
  readonly redisUrl: string | null;
  /** Namespace of the jobs: Postgres schema or Redis key prefix; lower-case letters, digits, `_`. */
  readonly prefix?: string;
  /** Told of failures outside any call (lost connections, throwing handlers); the same one at most every ten seconds. */
  readonly onError?: (failure: QueueFailure) => void;
}

export interface Queue {
  /**
   * Sets alarms; one already set for the same room and bucket is left as it is. Rejects with a retryable AppError
   * `queue_unavailable` within 2 s when the store is down: callers may ignore it, since the sweeper finds what is due.
   */
  publish(alarms: readonly Alarm[]): Promise<void>;
  /** Wakes `handler` for each due alarm of `room`, at most `concurrency` at once; keeps trying while the store is down. */
  consume(room: Room, handler: AlarmHandler, options: { concurrency: number }): Consumer;
  /** Whether the store answers within a second; never rejects. */
  ping(): Promise<boolean>;
  /** Lets running handlers end (5 s at most), then frees every connection. Safe to call twice. */
  close(): Promise<void>;
}

/**
 * Opens the queue, migrating BullMQ's Postgres schema first. A store that is merely down does not reject: the queue
 * reports it and opens when it can, so that a receiver may start without it (I12). Rejects with AppError `redis_eviction`
 * or `queue_refused` when waiting would not help.
 */
export async function createQueue(options: QueueOptions): Promise<Queue> {
  const onError = limitReports(options.onError ?? (() => undefined));
  const url = options.redisUrl ?? options.databaseUrl;
  const openBackend = options.redisUrl === null ? openPostgresBackend : openRedisBackend;
  const link = createBackendLink(() => openBackend({ url, prefix: options.prefix ?? DEFAULT_PREFIX, onError }));
  const consumers = new Set<Consumer>();

  async function withBackend<T>(use: (backend: OpenBackend) => Promise<T>, timeoutMs: number): Promise<T> {
    try {
      return await withDeadline(link.open().then(use), timeoutMs);
    } catch (error) {
      throw toQueueError(error);
    }
  }

  await withBackend(async () => undefined, OPEN_DEADLINE_MS).catch(async (error: AppError) => {
    if (!error.retryable) {
      await link.close();
      throw error;
    }
    onError({ code: error.detail ?? error.code, room: null });
  });

  return {
    async publish(alarms) {
      const nowMs = Date.now();
      const jobs = bucketAlarms(alarms, nowMs);
      await withBackend(async (backend) => {
        await Promise.all(jobs.map(({ room, bucketMs }) => backend.addAlarm(room, bucketMs, bucketMs - nowMs)));
      }, PUBLISH_DEADLINE_MS);
    },
    consume(room, handler, { concurrency }) {
      const consumer = startConsumer({ link, room, handler, concurrency, onError });
      consumers.add(consumer);
      return consumer;
    },
    ping() {
      return withBackend((backend) => backend.ping(), PING_DEADLINE_MS).then(
        () => true,
        () => false,
      );
    },
    async close() {
      await Promise.all([...consumers].map((consumer) => consumer.close()));
      await withDeadline(link.close(), CLOSE_DEADLINE_MS).catch(() => undefined);
    },
  };
}
