import { index, pgTable, text } from 'drizzle-orm/pg-core';
import { apiKey } from './api-key.ts';
import { bytea, instant } from './columns.ts';

/** A person signed in to the pages with an API key. The cookie is kept as a keyed hash only; a session ends with its key. */
export const session = pgTable(
  'session',
  {
    lookupHash: bytea('lookup_hash').primaryKey(),
    keyId: text('key_id')
      .notNull()
      .references(() => apiKey.id),
    createdAt: instant('created_at').notNull(),
    /** When its person last asked for something; what a page refreshes by itself does not count. */
    seenAt: instant('seen_at').notNull(),
    expiresAt: instant('expires_at').notNull(),
  },
  (table) => [index('session_expires').on(table.expiresAt)],
);
