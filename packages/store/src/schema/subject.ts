import type { ConnectivityStatus, SubjectType } from '@tidegate/core';
import { sql } from 'drizzle-orm';
import { bigint, boolean, index, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { bytea, instant } from './columns.ts';

/** A device or a tunnel, known outside the vault by its alias only. */
export const subject = pgTable(
  'subject',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    alias: text('alias').notNull().unique(),
    type: text('type').$type<SubjectType>().notNull(),
    groupName: text('group_name').notNull(),
    /** Its newest fingerprint, to match lists of API v2 with; the table `fingerprint` is what a subject is found by. */
    fingerprintVersion: integer('fingerprint_version').notNull(),
    fingerprint: bytea('fingerprint').notNull(),
    /** A tunnel id of 1–19 digits; every other id is sealed. */
    publicId: text('public_id'),
    sealedId: bytea('sealed_id'),
    /** Sanitised name from Localtonet; null until API v2 told it. */
    name: text('name'),
    /** For a tunnel: the device it belongs to, with where and when that was learnt. */
    deviceId: bigint('device_id', { mode: 'number' }),
    deviceOrigin: text('device_origin').$type<'config' | 'api'>(),
    deviceSince: instant('device_since'),
    /** Set once a token is matched to a name: from then on it shuts its own services only. */
    linkedAt: instant('linked_at'),
    /** What the last poll of API v2 said; never folded into the view. */
    polledStatus: text('polled_status').$type<ConnectivityStatus>(),
    polledAt: instant('polled_at'),
    /** When a webhook or a poll last spoke of this subject: the age of our knowledge. */
    confirmedAt: instant('confirmed_at'),
    firstSeenAt: instant('first_seen_at').notNull().defaultNow(),
  },
  (table) => [
    index('subject_device').on(table.deviceId),
    index('subject_unlinked').on(table.id).where(sql`type = 'device' and linked_at is null`),
    index('subject_group_name').on(table.groupName, table.type, table.name),
  ],
);

/**
 * Every keyed fingerprint a subject is found by: one per live version of the fingerprint key. Processes that hold different
 * keys while one is rotated share at least one version, so the primary key keeps them from making a subject twice.
 */
export const fingerprint = pgTable(
  'fingerprint',
  {
    version: integer('version').notNull(),
    value: bytea('value').notNull(),
    subjectId: bigint('subject_id', { mode: 'number' }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.version, table.value] }),
    index('fingerprint_subject').on(table.subjectId, table.version),
  ],
);

/** The connectivity view: a fold over the set of a subject's observations, never over their order of arrival. */
export const connectivity = pgTable('connectivity', {
  subjectId: bigint('subject_id', { mode: 'number' }).primaryKey(),
  /** The greatest dated observation: 100 ns ticks since the Unix epoch, Disconnected winning ties; null before any. */
  ticks: bigint('ticks', { mode: 'bigint' }),
  disconnected: boolean('disconnected'),
  observationKey: uuid('observation_key'),
  /** An undated or far-future report arrived: nothing about this subject is believed until a verification passes. */
  suspectDisconnected: boolean('suspect_disconnected').notNull().default(false),
  suspectConnected: boolean('suspect_connected').notNull().default(false),
  /** The observation that a passed verification answered; while it equals `observationKey` the subject is not down. */
  clearedKey: uuid('cleared_key'),
  movedAt: instant('moved_at').notNull(),
});
