import type { NotificationKind, NotificationMessage, NotificationState, Severity } from '@tidegate/core';
import { sql } from 'drizzle-orm';
import { bigint, boolean, check, index, integer, jsonb, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { instant } from './columns.ts';

/**
 * What there may be something to tell of: an incident, or the reviews of one service. A trigger sets `due_at` in the transaction
 * that changes an incident, whoever changes it, so no news can be lost between the change and the decision.
 */
export const notice = pgTable(
  'notice',
  {
    /** The incident's id, or `rev_` and the service's number. */
    thread: text('thread').primaryKey(),
    incidentId: text('incident_id'),
    serviceId: integer('service_id'),
    /** Of reviews: how often they began; of an incident its own count of reopenings says that. */
    episode: integer('episode').notNull().default(0),
    /** Rises with each decision to tell something. */
    generation: integer('generation').notNull().default(0),
    /** Of reviews: callbacks that wait, a sum over which they are, and since when there are any. */
    waiting: integer('waiting').notNull().default(0),
    waitingMark: bigint('waiting_mark', { mode: 'number' }).notNull().default(0),
    startedAt: instant('started_at'),
    endedAt: instant('ended_at'),
    dueAt: instant('due_at'),
  },
  (table) => [
    index('notice_due').on(table.dueAt).where(sql`due_at is not null`),
    index('notice_reviewed').on(table.serviceId).where(sql`service_id is not null`),
    check('notice_is_about_one', sql`(incident_id is null) <> (service_id is null)`),
  ],
);

/** The ledger: one row for each notification that was decided, and what became of it. */
export const notification = pgTable(
  'notification',
  {
    /** Also the `webhook-id` and the like, by which a receiver knows a repeat. */
    id: text('id').primaryKey(),
    /** Order of decision. */
    seq: bigint('seq', { mode: 'number' }).notNull().generatedAlwaysAsIdentity(),
    thread: text('thread').notNull(),
    incidentId: text('incident_id'),
    generation: integer('generation').notNull(),
    /** Name of the channel in the config; where it leads is stored nowhere. */
    channel: text('channel').notNull(),
    kind: text('kind').$type<NotificationKind>().notNull(),
    episode: integer('episode').notNull(),
    state: text('state').$type<NotificationState>().notNull().default('pending'),
    severity: text('severity').$type<Severity>().notNull(),
    /** What it told, to be compared with what there is to tell later. */
    news: text('news').notNull(),
    acknowledged: boolean('acknowledged').notNull(),
    /** Frozen: a retry says the same. */
    message: jsonb('message').$type<NotificationMessage>().notNull(),
    decidedAt: instant('decided_at').notNull(),
    dueAt: instant('due_at'),
    attempts: integer('attempts').notNull().default(0),
    firstAttemptAt: instant('first_attempt_at'),
    /** While `sending`: until when a live worker is waited for. */
    leaseUntil: instant('lease_until'),
    /** It was, or may have been, received. */
    reached: boolean('reached').notNull().default(false),
    status: integer('status'),
    reason: text('reason'),
    endedAt: instant('ended_at'),
    /** For receivers that forget what is not said again: when to say it again. */
    repeatAt: instant('repeat_at'),
  },
  (table) => [
    uniqueIndex('notification_once').on(table.thread, table.generation, table.channel, table.kind),
    index('notification_due').on(table.dueAt).where(sql`due_at is not null`),
    index('notification_waiting').on(table.channel, table.dueAt).where(sql`due_at is not null`),
    index('notification_repeat').on(table.repeatAt).where(sql`repeat_at is not null`),
    index('notification_thread').on(table.thread, table.channel, table.seq),
    index('notification_decided').on(table.decidedAt, table.id),
    check('notification_has_ended', sql`(state in ('pending', 'sending')) = (ended_at is null)`),
    check('notification_is_due', sql`(due_at is null) = (ended_at is not null)`),
  ],
);

/** How a channel fares. It holds no destination: that is in the config only. */
export const notifyChannel = pgTable('notify_channel', {
  name: text('name').primaryKey(),
  type: text('type').notNull(),
  /** Nothing is sent before: it asked for a pause, or could not be reached. */
  pausedUntil: instant('paused_until'),
  /** Attempts in a row that failed. */
  failures: integer('failures').notNull().default(0),
  lastSentAt: instant('last_sent_at'),
  lastFailedAt: instant('last_failed_at'),
  lastReason: text('last_reason'),
  lastStatus: integer('last_status'),
  /** When the config ceased to name it. */
  removedAt: instant('removed_at'),
});
