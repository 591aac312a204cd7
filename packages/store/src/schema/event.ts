import { sql } from 'drizzle-orm';
import { bigint, boolean, check, index, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { instant } from './columns.ts';

/**
 * What people and their tools are told, in one order. Triggers write a row in the transaction of each change (of a timeline, a
 * gate, a callback that needs a person); `number_events` numbers what is committed, one caller at a time. Holds our own ids,
 * names of the config, named codes and sentences of the timeline: no column that could carry a secret.
 */
export const event = pgTable(
  'event',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    /** Null until it is numbered: whoever has seen a number can never miss a smaller one. */
    number: bigint('number', { mode: 'number' }),
    at: instant('at').notNull(),
    recordedAt: instant('recorded_at').notNull().default(sql`clock_timestamp()`),
    event: text('event').notNull(),
    incidentId: text('incident_id'),
    /** The service it is about; null when it is about an incident as a whole. */
    service: text('service'),
    callbackId: text('callback_id'),
    /** Of a gate: why it is as it is. Of a callback: its state. */
    reason: text('reason'),
    /** A person's name and words, where a gate was ordered by hand. */
    actor: text('actor'),
    words: text('words'),
    /** The timeline's sentence; null where it can be said from the columns before. */
    why: text('why'),
    /** Names of all it concerns, as they were when it was numbered. */
    services: text('services').array(),
  },
  (table) => [
    uniqueIndex('event_number').on(table.number).where(sql`number is not null`),
    index('event_waiting').on(table.id).where(sql`number is null`),
  ],
);

/** One row: how far events are numbered, and up to which number retention has removed them. */
export const eventCounter = pgTable(
  'event_counter',
  {
    only: boolean('only').primaryKey().default(true),
    lastNumber: bigint('last_number', { mode: 'number' }).notNull().default(0),
    prunedThrough: bigint('pruned_through', { mode: 'number' }).notNull().default(0),
  },
  () => [check('event_counter_only', sql`"only"`)],
);
