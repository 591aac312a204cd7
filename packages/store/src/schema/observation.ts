import type { ConnectivityStatus } from '@tidegate/core';
import { sql } from 'drizzle-orm';
import { bigint, boolean, date, index, integer, pgTable, primaryKey, smallint, text, uuid } from 'drizzle-orm/pg-core';
import { bytea, instant } from './columns.ts';

/**
 * Which facts are known, by whom and since when. A fact's key is derived from it, so a raced repeat meets itself; months are
 * tables of their own, so that they meet here and not there. It goes when its observation does.
 */
export const observationKey = pgTable('observation_key', {
  key: uuid('key').primaryKey(),
  firstDeliveryId: uuid('first_delivery_id').notNull(),
  firstReceivedAt: instant('first_received_at').notNull(),
});

/**
 * The fact a delivery reports. Partitioned by `month`, which Drizzle cannot say: the migrations and `create_month` do. What
 * outlives its month because something still refers to it has the month -infinity.
 */
export const observation = pgTable(
  'observation',
  {
    /** First day of the month (UTC) in which it was first received. */
    month: date('month').notNull(),
    key: uuid('key').notNull(),
    subjectId: bigint('subject_id', { mode: 'number' }).notNull(),
    sourceId: integer('source_id').notNull(),
    status: text('status').$type<ConnectivityStatus>().notNull(),
    /** The date as sent, kept in the clear only when it is a date; anything else is sealed. */
    actionDate: text('action_date'),
    sealedActionDate: bytea('sealed_action_date'),
    ticks: bigint('ticks', { mode: 'bigint' }),
    zone: text('zone').$type<'utc' | 'offset' | 'assumed'>(),
    /** False for undated and far-future reports: they never move the view to Connected. */
    trusted: boolean('trusted').notNull(),
    firstReceivedAt: instant('first_received_at').notNull(),
  },
  (table) => [
    primaryKey({ name: 'observation_pkey', columns: [table.firstReceivedAt, table.key, table.month] }),
    index('observation_subject').on(table.subjectId, table.ticks),
    index('observation_subject_received').on(table.subjectId, table.firstReceivedAt),
    index('observation_sealed').on(table.key).where(sql`sealed_action_date is not null`),
  ],
);

/** One HTTP request received from a source; repeats of one observation are counted here. Partitioned by month through its id. */
export const delivery = pgTable(
  'delivery',
  {
    /** A UUID of version 7: its first bits are the time of receipt. */
    id: uuid('id').primaryKey(),
    observationKey: uuid('observation_key').notNull(),
    sourceId: integer('source_id').notNull(),
    receivedAt: instant('received_at').notNull(),
    extraFields: text('extra_fields'),
    extraUnnamed: smallint('extra_unnamed').notNull().default(0),
  },
  (table) => [index('delivery_observation').on(table.observationKey)],
);
