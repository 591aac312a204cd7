import type { AuditAction, AuditFacts } from '@tidegate/core';
import { bigint, integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { bytea, instant } from './columns.ts';

/** Actions of people and uses of keys, append-only (a trigger refuses anything else); each row's MAC covers the one before it. */
export const audit = pgTable('audit', {
  seq: bigint('seq', { mode: 'number' }).primaryKey(),
  at: instant('at').notNull(),
  actor: text('actor').notNull(),
  action: text('action').$type<AuditAction>().notNull(),
  target: text('target').notNull(),
  reason: text('reason'),
  facts: jsonb('facts').$type<AuditFacts>().notNull(),
  mac: bytea('mac').notNull(),
});

/** How often machines opened sealed values, by purpose and hour: aggregated, since one row each would drown the people. */
export const openedValues = pgTable(
  'opened_values',
  { hour: instant('hour').notNull(), purpose: text('purpose').notNull(), count: integer('count').notNull() },
  (table) => [primaryKey({ columns: [table.hour, table.purpose] })],
);
