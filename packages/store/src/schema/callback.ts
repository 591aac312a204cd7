import type { AttemptPhase, CallbackState, RepeatContract } from '@tidegate/core';
import { sql } from 'drizzle-orm';
import { bigint, index, integer, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { bytea, instant } from './columns.ts';

/** An outbound HTTP operation handed over by an agent. Whatever could carry a credential is sealed. */
export const callback = pgTable(
  'callback',
  {
    id: text('id').primaryKey(),
    serviceId: integer('service_id').notNull(),
    keyHash: bytea('key_hash').notNull(),
    payloadHash: bytea('payload_hash').notNull(),
    state: text('state').$type<CallbackState>().notNull(),
    reason: text('reason'),
    method: text('method').notNull(),
    origin: text('origin').notNull(),
    safety: text('safety').$type<'unsafe' | 'safe'>().notNull(),
    repeat: text('repeat').$type<RepeatContract>().notNull(),
    sealedUrl: bytea('sealed_url').notNull(),
    sealedHeaders: bytea('sealed_headers').notNull(),
    sealedBody: bytea('sealed_body'),
    sealedIdempotencyKey: bytea('sealed_idempotency_key').notNull(),
    attempts: integer('attempts').notNull().default(0),
    createdAt: instant('created_at').notNull(),
    dueAt: instant('due_at'),
    deadlineAt: instant('deadline_at'),
    finishedAt: instant('finished_at'),
  },
  (table) => [
    uniqueIndex('callback_idempotency').on(table.serviceId, table.keyHash),
    index('callback_due').on(table.dueAt).where(sql`due_at is not null`),
    index('callback_finished').on(table.finishedAt).where(sql`finished_at is not null`),
    index('callback_service_state').on(table.serviceId, table.state, table.createdAt),
  ],
);

/** One try. The row is committed before the socket is opened; an expired `sending` lease is ambiguous, never not-sent. */
export const attempt = pgTable(
  'attempt',
  {
    callbackId: text('callback_id')
      .notNull()
      .references(() => callback.id),
    number: integer('number').notNull(),
    generation: bigint('generation', { mode: 'number' }).notNull(),
    startedAt: instant('started_at').notNull(),
    leaseUntil: instant('lease_until').notNull(),
    finishedAt: instant('finished_at'),
    phase: text('phase').$type<AttemptPhase>(),
    status: integer('status'),
    reason: text('reason'),
    latencyMs: integer('latency_ms'),
  },
  (table) => [
    primaryKey({ columns: [table.callbackId, table.number] }),
    index('attempt_open_lease').on(table.leaseUntil).where(sql`finished_at is null`),
  ],
);

/** The Standard Webhooks signing secret of a service, generated unless given. */
export const signingSecret = pgTable('signing_secret', {
  serviceId: integer('service_id').primaryKey(),
  sealedSecret: bytea('sealed_secret').notNull(),
  createdAt: instant('created_at').notNull().defaultNow(),
});
