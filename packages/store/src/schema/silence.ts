import { index, pgTable, text } from 'drizzle-orm/pg-core';
import { instant } from './columns.ts';

/** Mutes pages, and nothing else: it never holds or opens a gate. */
export const silence = pgTable(
  'silence',
  {
    id: text('id').primaryKey(),
    scope: text('scope').$type<'service' | 'group' | 'all'>().notNull(),
    /** Service name, or alias of the group's subject; null for all. */
    target: text('target'),
    actor: text('actor').notNull(),
    reason: text('reason').notNull(),
    createdAt: instant('created_at').notNull(),
    expiresAt: instant('expires_at').notNull(),
    endedAt: instant('ended_at'),
  },
  (table) => [index('silence_expires').on(table.expiresAt)],
);
