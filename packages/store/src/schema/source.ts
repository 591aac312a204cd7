import { bigint, index, integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { bytea, instant } from './columns.ts';

/** One registered Localtonet webhook. */
export const source = pgTable('source', {
  id: integer('id').primaryKey().generatedAlwaysAsIdentity(),
  name: text('name').notNull().unique(),
  groupName: text('group_name').notNull(),
  timeZone: text('time_zone').notNull(),
  watch: text('watch').$type<'linked' | 'all'>().notNull(),
  /** Who keeps it: the config, which retires what it no longer names, or the command line. */
  origin: text('origin').$type<'config' | 'cli'>().notNull().default('config'),
  createdAt: instant('created_at').notNull().defaultNow(),
  retiredAt: instant('retired_at'),
  lastSeenAt: instant('last_seen_at'),
  /** Header names, date shape and field names of the first delivery: how Localtonet really behaves, without a value. */
  firstReport: jsonb('first_report').$type<Record<string, unknown>>(),
  /** The same of the first delivery that was not understood, with what was wrong. */
  firstRejection: jsonb('first_rejection').$type<Record<string, unknown>>(),
});

/** Deliveries of a source by outcome, added up by the receivers every few seconds. */
export const sourceCounter = pgTable(
  'source_counter',
  {
    sourceId: integer('source_id')
      .notNull()
      .references(() => source.id),
    outcome: text('outcome').notNull(),
    count: bigint('count', { mode: 'number' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.sourceId, table.outcome] })],
);

/** Keyed hashes of the path secrets that are live; two per source may be, since a Localtonet webhook cannot be edited. */
export const sourceSecret = pgTable(
  'source_secret',
  {
    lookupHash: bytea('lookup_hash').primaryKey(),
    sourceId: integer('source_id')
      .notNull()
      .references(() => source.id),
    /** `config`: the one the config gives now, or had made; `cli`: any other that is still live. */
    origin: text('origin').$type<'config' | 'cli'>().notNull().default('config'),
    createdAt: instant('created_at').notNull().defaultNow(),
    retiredAt: instant('retired_at'),
  },
  (table) => [index('source_secret_source').on(table.sourceId)],
);
