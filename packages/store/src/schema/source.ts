import { index, integer, pgTable, text } from 'drizzle-orm/pg-core';
import { bytea, instant } from './columns.ts';

/** One registered Localtonet webhook. */
export const source = pgTable('source', {
  id: integer('id').primaryKey().generatedAlwaysAsIdentity(),
  name: text('name').notNull().unique(),
  groupName: text('group_name').notNull(),
  timeZone: text('time_zone').notNull(),
  watch: text('watch').$type<'linked' | 'all'>().notNull(),
  createdAt: instant('created_at').notNull().defaultNow(),
  retiredAt: instant('retired_at'),
});

/** Keyed hashes of the path secrets that are live; two per source may be, since a Localtonet webhook cannot be edited. */
export const sourceSecret = pgTable(
  'source_secret',
  {
    lookupHash: bytea('lookup_hash').primaryKey(),
    sourceId: integer('source_id')
      .notNull()
      .references(() => source.id),
    createdAt: instant('created_at').notNull().defaultNow(),
    retiredAt: instant('retired_at'),
  },
  (table) => [index('source_secret_source').on(table.sourceId)],
);
