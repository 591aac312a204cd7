import type { AttemptPhase, CallbackState, RepeatContract } from '@tidegate/core';
import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
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
    /** Keyed hash: nothing needs the ordering key itself back. */
    orderingHash: bytea('ordering_hash'),
    /** How to ask its destination what became of it, as `StatusContract`. */
    sealedStatus: bytea('sealed_status'),
    settleAfterMs: integer('settle_after_ms'),
    /** Declared safe, and declared to pass a held gate. */
    passesHeld: boolean('passes_held').notNull().default(false),
    /** The gate's generation under which it was last released; sending checks it against the gate's own. */
    generation: bigint('generation', { mode: 'number' }).notNull().default(0),
    attempts: integer('attempts').notNull().default(0),
    /** Attempts made before a person allowed new ones: they count no more against the policy's bounds. */
    attemptsBefore: integer('attempts_before').notNull().default(0),
    /** Let out by a person's approval and by nothing else: for one attempt, while the approval is good. */
    byApproval: boolean('by_approval').notNull().default(false),
    /** When the last attempt ended that may have had an effect; what a lookup finds has to settle from then on. */
    unknownSince: instant('unknown_since'),
    /** While ambiguous: when a harmless repeat may begin, null for never. While held: when it was due, null for at once. */
    retryAt: instant('retry_at'),
    /** For the last unknown attempt: lookups made, and the run that reconciles it. */
    lookups: integer('lookups').notNull().default(0),
    reconciliationId: text('reconciliation_id'),
    createdAt: instant('created_at').notNull(),
    dueAt: instant('due_at'),
    deadlineAt: instant('deadline_at'),
    finishedAt: instant('finished_at'),
  },
  (table) => [
    uniqueIndex('callback_idempotency').on(table.serviceId, table.keyHash),
    index('callback_due').on(table.dueAt).where(sql`due_at is not null`),
    index('callback_lookup').on(table.dueAt).where(sql`due_at is not null and state = 'ambiguous'`),
    index('callback_finished').on(table.finishedAt).where(sql`finished_at is not null`),
    index('callback_service_state').on(table.serviceId, table.state, table.createdAt),
    index('callback_ready')
      .on(
        table.serviceId,
        table.generation,
        table.origin,
        sql`(ordering_hash is null)`,
        table.dueAt,
        table.createdAt,
        table.id,
      )
      .where(sql`state in ('queued', 'retrying')`),
    index('callback_sending').on(table.origin, table.serviceId).where(sql`state = 'sending'`),
    index('callback_unreconciled')
      .on(table.serviceId)
      .where(sql`state = 'held' or (state = 'ambiguous' and reconciliation_id is null)`),
    index('callback_unproven')
      .on(table.serviceId)
      .where(sql`state in ('queued', 'retrying') and (by_approval or (repeat = 'forbidden' and attempts > 0))`),
    index('callback_order')
      .on(table.serviceId, table.orderingHash, table.createdAt, table.id)
      .where(sql`ordering_hash is not null and finished_at is null`),
    index('callback_deadline')
      .on(table.deadlineAt)
      .where(sql`deadline_at is not null and state in ('queued', 'held', 'retrying', 'ambiguous')`),
    index('callback_needs_review').on(table.serviceId).where(sql`state = 'needs_review'`),
    check('callback_only_safe_ones_pass', sql`not passes_held or safety = 'safe'`),
    check('callback_status_is_whole', sql`settle_after_ms is not null or sealed_status is null`),
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
    /** Renewed by the worker that claimed it for as long as its request is under way; never again once it has run out. */
    leaseUntil: instant('lease_until').notNull(),
    /** Of the worker that claimed it, which renews the lease and ends the attempt under it. Null for the oldest rows. */
    leaseToken: uuid('lease_token'),
    finishedAt: instant('finished_at'),
    phase: text('phase').$type<AttemptPhase>(),
    status: integer('status'),
    reason: text('reason'),
    latencyMs: integer('latency_ms'),
    /** A status lookup proved, at this time, that this attempt had no effect. */
    disprovedAt: instant('disproved_at'),
  },
  (table) => [
    primaryKey({ columns: [table.callbackId, table.number] }),
    index('attempt_open_lease').on(table.leaseUntil).where(sql`finished_at is null`),
  ],
);

/**
 * The Standard Webhooks signing secrets of a service, generated unless given; two may be live at once. A destination with
 * secrets of its own is signed for with those and no other.
 */
export const signingSecret = pgTable(
  'signing_secret',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    serviceId: integer('service_id').notNull(),
    /** Origin of the destination it is for; null for all that have none of their own. */
    destination: text('destination'),
    /** Empty once it is retired. */
    sealedSecret: bytea('sealed_secret').notNull(),
    /** Keyed hash: what was retired is not taken for new when a config or a file still gives it. Null for the oldest rows. */
    secretHash: bytea('secret_hash'),
    createdAt: instant('created_at').notNull().defaultNow(),
    /** When it ends by itself, after the overlap of a rotation; null for when a person says so. */
    endsAt: instant('ends_at'),
    retiredAt: instant('retired_at'),
  },
  (table) => [index('signing_secret_service').on(table.serviceId, table.destination)],
);
