import { sql } from 'drizzle-orm';
import { boolean, check, pgTable, text } from 'drizzle-orm/pg-core';

/** One row: which keyring this database's fingerprints and sealed values were made under. */
export const installation = pgTable(
  'installation',
  { only: boolean('only').primaryKey().default(true), keyringId: text('keyring_id').notNull() },
  (table) => [check('installation_only', sql`${table.only}`)],
);
