import { pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { bytea, instant } from './columns.ts';

/** Data keys of the sealing processes, each wrapped to the worker's public key. Useless without the worker's private key. */
export const dataKey = pgTable('data_key', {
  id: uuid('id').primaryKey(),
  wrapped: bytea('wrapped').notNull(),
  recipientKeyId: text('recipient_key_id').notNull(),
  createdAt: instant('created_at').notNull().defaultNow(),
});
