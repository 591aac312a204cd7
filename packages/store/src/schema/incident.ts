import type { FlapWorst, IncidentKind, IncidentState, Layer } from '@tidegate/core';
import { sql } from 'drizzle-orm';
import { bigint, check, index, integer, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { instant } from './columns.ts';

/** Groups with observations the correlator has not handled; armed in the statement set that records them. */
export const pending = pgTable(
  'pending',
  {
    groupId: bigint('group_id', { mode: 'number' }).primaryKey(),
    firstAt: instant('first_at').notNull(),
    lastAt: instant('last_at').notNull(),
    count: integer('count').notNull(),
    disconnects: integer('disconnects').notNull(),
    dueAt: instant('due_at').notNull(),
  },
  (table) => [index('pending_due').on(table.dueAt)],
);

/** One outage as on-call sees it. The partial unique index is what keeps I4, whatever races. */
export const incident = pgTable(
  'incident',
  {
    id: text('id').primaryKey(),
    kind: text('kind').$type<IncidentKind>().notNull(),
    state: text('state').$type<IncidentState>().notNull().default('open'),
    /** The subject that names the group; null for a mass incident, which is about a whole source group. */
    groupId: bigint('group_id', { mode: 'number' }),
    massGroup: text('mass_group'),
    openedAt: instant('opened_at').notNull(),
    acknowledgedAt: instant('acknowledged_at'),
    resolvedAt: instant('resolved_at'),
    resolvedBy: text('resolved_by'),
    mergedInto: text('merged_into'),
    acknowledgedBy: text('acknowledged_by'),
    /** An end without evidence is a named person's, with a reason and an expiry after which it is looked at again. */
    overrideActor: text('override_actor'),
    overrideReason: text('override_reason'),
    overrideExpiresAt: instant('override_expires_at'),
    reopened: integer('reopened').notNull().default(0),
    /** Without services: polls in a row that listed every member as connected, and when the last of them was begun. */
    passes: integer('passes').notNull().default(0),
    passedAt: instant('passed_at'),
    /** Of one that flaps: changes so far, counted up to when, how many the timeline told, and the worst that was down. */
    flapChanges: integer('flap_changes').notNull().default(0),
    flapCountedAt: instant('flap_counted_at'),
    flapTold: integer('flap_told').notNull().default(0),
    flapWorst: text('flap_worst').$type<FlapWorst>(),
    summary: text('summary').notNull(),
    /** First broken layer of the latest failed verification: the word a pager needs. */
    firstBroken: text('first_broken').$type<Layer>(),
  },
  (table) => [
    uniqueIndex('incident_open_group').on(table.groupId).where(sql`state <> 'resolved'`),
    uniqueIndex('incident_open_mass').on(table.massGroup).where(sql`state <> 'resolved' and mass_group is not null`),
    check('incident_has_one_group', sql`(group_id is null) <> (mass_group is null)`),
    index('incident_group_resolved').on(table.groupId, table.resolvedAt),
    index('incident_mass_resolved').on(table.massGroup, table.resolvedAt).where(sql`mass_group is not null`),
    index('incident_opened').on(table.openedAt, table.id),
    index('incident_resolved').on(table.resolvedAt).where(sql`resolved_at is not null`),
    index('incident_override').on(table.overrideExpiresAt).where(sql`override_expires_at is not null`),
    check(
      'incident_ends_on_evidence',
      sql`state <> 'resolved' or resolved_by is not null or merged_into is not null or override_actor is not null`,
    ),
  ],
);

export const incidentSubject = pgTable(
  'incident_subject',
  {
    incidentId: text('incident_id')
      .notNull()
      .references(() => incident.id),
    subjectId: bigint('subject_id', { mode: 'number' }).notNull(),
    why: text('why').notNull(),
    joinedAt: instant('joined_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.incidentId, table.subjectId] })],
);

export const incidentService = pgTable(
  'incident_service',
  {
    incidentId: text('incident_id')
      .notNull()
      .references(() => incident.id),
    serviceId: integer('service_id').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.incidentId, table.serviceId] }),
    index('incident_service_service').on(table.serviceId),
  ],
);

/** What happened and why, in the order on-call reads it. */
export const timelineEntry = pgTable(
  'timeline_entry',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    incidentId: text('incident_id')
      .notNull()
      .references(() => incident.id),
    at: instant('at').notNull(),
    event: text('event').notNull(),
    why: text('why').notNull(),
    /** The service its sentence names; null when it is about the incident as a whole. */
    service: text('service'),
  },
  (table) => [index('timeline_entry_incident').on(table.incidentId, table.id)],
);

/** A drop that healed inside the debounce: no incident, no page, still countable. */
export const blip = pgTable(
  'blip',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    groupId: bigint('group_id', { mode: 'number' }).notNull(),
    firstAt: instant('first_at').notNull(),
    lastAt: instant('last_at').notNull(),
    count: integer('count').notNull(),
    recordedAt: instant('recorded_at').notNull(),
  },
  (table) => [index('blip_group').on(table.groupId, table.recordedAt)],
);
