import { index, integer, pgTable, text } from 'drizzle-orm/pg-core';
import { bytea, instant } from './columns.ts';

/** A body from an authenticated source that could not be understood, sealed. */
export const quarantine = pgTable(
  'quarantine',
  {
    id: text('id').primaryKey(),
    sourceId: integer('source_id').notNull(),
    receivedAt: instant('received_at').notNull(),
    /** Field and fixed code of the first problem, as the 400 named them. */
    field: text('field').notNull(),
    problem: text('problem').notNull(),
    bytes: integer('bytes').notNull(),
    sealedBody: bytea('sealed_body').notNull(),
    replayedAt: instant('replayed_at'),
    replayedAs: text('replayed_as'),
  },
  (table) => [
    index('quarantine_received').on(table.receivedAt, table.id),
    index('quarantine_source').on(table.sourceId),
  ],
);
