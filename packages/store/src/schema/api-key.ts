import { pgTable, text } from 'drizzle-orm/pg-core';
import { bytea, instant } from './columns.ts';

/** A bearer key of the API, stored as a keyed hash. */
export const apiKey = pgTable('api_key', {
  id: text('id').primaryKey(),
  name: text('name').notNull(),
  lookupHash: bytea('lookup_hash').notNull().unique(),
  scopes: text('scopes').array().notNull(),
  /** Names of the services it may touch; null means all. */
  services: text('services').array(),
  createdAt: instant('created_at').notNull().defaultNow(),
  expiresAt: instant('expires_at'),
  revokedAt: instant('revoked_at'),
});
