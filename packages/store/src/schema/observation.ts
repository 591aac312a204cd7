import type { ConnectivityStatus } from '@tidegate/core';
import { sql } from 'drizzle-orm';
import { bigint, boolean, index, integer, pgTable, smallint, text, uuid } from 'drizzle-orm/pg-core';
import { bytea, instant } from './columns.ts';

/** The fact a delivery reports. Its key is derived from the fact, so a raced repeat meets itself. */
export const observation = pgTable(
  'observation',
  {
    key: uuid('key').primaryKey(),
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
    firstDeliveryId: uuid('first_delivery_id').notNull(),
    firstReceivedAt: instant('first_received_at').notNull(),
  },
  (table) => [
    index('observation_subject').on(table.subjectId, table.ticks),
    index('observation_subject_received').on(table.subjectId, table.firstReceivedAt),
    index('observation_received').on(table.firstReceivedAt, table.key),
    index('observation_sealed').on(table.key).where(sql`sealed_action_date is not null`),
  ],
);

/** One HTTP request received from a source; repeats of one observation are counted here. */
export const delivery = pgTable(
  'delivery',
  {
    id: uuid('id').primaryKey(),
    observationKey: uuid('observation_key').notNull(),
    sourceId: integer('source_id').notNull(),
    receivedAt: instant('received_at').notNull(),
    extraFields: text('extra_fields'),
    extraUnnamed: smallint('extra_unnamed').notNull().default(0),
  },
  (table) => [index('delivery_observation').on(table.observationKey)],
);
