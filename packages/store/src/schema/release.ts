import type { Circuit, ReconciliationAction, ReconciliationOutcome } from '@tidegate/core';
import { bigint, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { bytea, instant } from './columns.ts';

/** One sorting of held and in-flight callbacks of a service. Nothing is released that is not in one. */
export const reconciliation = pgTable(
  'reconciliation',
  {
    id: text('id').primaryKey(),
    serviceId: integer('service_id').notNull(),
    /** The gate's generation it was made under, and for. */
    generation: bigint('generation', { mode: 'number' }).notNull(),
    trigger: text('trigger').$type<'release' | 'attempt'>().notNull(),
    startedAt: instant('started_at').notNull(),
  },
  (table) => [
    index('reconciliation_service').on(table.serviceId, table.startedAt),
    index('reconciliation_started').on(table.startedAt),
  ],
);

/** What one run found about one callback; a status lookup that ends later rewrites it. */
export const reconciliationItem = pgTable(
  'reconciliation_item',
  {
    reconciliationId: text('reconciliation_id')
      .notNull()
      .references(() => reconciliation.id, { onDelete: 'cascade' }),
    callbackId: text('callback_id').notNull(),
    outcome: text('outcome').$type<ReconciliationOutcome>().notNull(),
    reason: text('reason').notNull(),
    action: text('action').$type<ReconciliationAction>().notNull(),
    decidedAt: instant('decided_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.reconciliationId, table.callbackId] })],
);

/** A person's decision about a callback whose outcome nobody knows. An approval is good for one attempt. */
export const review = pgTable(
  'review',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    callbackId: text('callback_id').notNull(),
    decision: text('decision').$type<'approve' | 'deny' | 'complete'>().notNull(),
    /** What was approved: an attempt is made only while the callback's own hash is the same. */
    payloadHash: bytea('payload_hash').notNull(),
    actor: text('actor').notNull(),
    reason: text('reason').notNull(),
    decidedAt: instant('decided_at').notNull(),
    expiresAt: instant('expires_at'),
    usedAt: instant('used_at'),
  },
  (table) => [index('review_callback').on(table.callbackId)],
);

/** How fast a service may send to a destination at present. */
export const ramp = pgTable(
  'ramp',
  {
    serviceId: integer('service_id').notNull(),
    origin: text('origin').notNull(),
    generation: bigint('generation', { mode: 'number' }).notNull(),
    /** Named `span` here, since `window` is a word of SQL. */
    span: integer('span').notNull(),
    secondAt: instant('second_at').notNull(),
    used: integer('used').notNull(),
  },
  (table) => [primaryKey({ columns: [table.serviceId, table.origin] })],
);

/** Whether a destination is worth asking; a destination without a row is. */
export const circuit = pgTable('circuit', {
  origin: text('origin').primaryKey(),
  state: text('state').$type<Circuit['state']>().notNull(),
  failures: integer('failures').notNull(),
  successes: integer('successes').notNull(),
  openings: integer('openings').notNull(),
  openUntil: instant('open_until').notNull(),
});
