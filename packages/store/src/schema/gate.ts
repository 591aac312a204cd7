import type { GateReason, GateState } from '@tidegate/core';
import { sql } from 'drizzle-orm';
import { bigint, check, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { instant } from './columns.ts';

/** One agent endpoint that users care about, as the config names it. */
export const service = pgTable(
  'service',
  {
    id: integer('id').primaryKey().generatedAlwaysAsIdentity(),
    name: text('name').notNull().unique(),
    sourceName: text('source_name').notNull(),
    groupName: text('group_name').notNull(),
    deviceRef: text('device_ref'),
    tunnelRef: text('tunnel_ref'),
    /** The device once linked: by its alias, its name in Localtonet, or through its tunnel. */
    deviceId: bigint('device_id', { mode: 'number' }),
    tunnelId: bigint('tunnel_id', { mode: 'number' }),
    policyName: text('policy_name').notNull(),
    openAfterMs: integer('open_after_ms').notNull(),
    maxWaitMs: integer('max_wait_ms').notNull(),
    verifyEveryMs: integer('verify_every_ms').notNull(),
    /** Hash of everything a verification depends on; a change raises the gate's generation. */
    probeHash: text('probe_hash').notNull(),
    createdAt: instant('created_at').notNull().defaultNow(),
    retiredAt: instant('retired_at'),
  },
  (table) => [
    index('service_group').on(table.groupName).where(sql`retired_at is null`),
    index('service_without_device').on(table.groupName).where(sql`device_id is null and retired_at is null`),
  ],
);

/** A subject whose Disconnected shuts a service's gate: the service's device, its tunnel, or its tunnel's device. */
export const dependency = pgTable(
  'dependency',
  {
    subjectId: bigint('subject_id', { mode: 'number' }).notNull(),
    serviceId: integer('service_id')
      .notNull()
      .references(() => service.id),
    origin: text('origin').$type<'config' | 'api'>().notNull(),
    /** The `device` of the config that this edge was matched by; null where it comes from the tunnel. */
    deviceRef: text('device_ref'),
    since: instant('since').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.subjectId, table.serviceId] }),
    index('dependency_service').on(table.serviceId),
  ],
);

/** The gate of a service. Whatever may veto an opening raises `generation` in its own transaction (I6). */
export const gate = pgTable(
  'gate',
  {
    serviceId: integer('service_id')
      .primaryKey()
      .references(() => service.id),
    state: text('state').$type<GateState>().notNull().default('held'),
    reason: text('reason').$type<GateReason>().notNull().default('never_verified'),
    generation: bigint('generation', { mode: 'number' }).notNull().default(1),
    since: instant('since').notNull().defaultNow(),
    verifyDueAt: instant('verify_due_at').defaultNow(),
    /** Failed verifications since the last sign of life; drives the backoff. */
    verifyAttempt: integer('verify_attempt').notNull().default(0),
    /** The verification now running: only its own end may move the gate. */
    verifyRun: text('verify_run'),
    passes: integer('passes').notNull().default(0),
    passGeneration: bigint('pass_generation', { mode: 'number' }).notNull().default(0),
    /** While open: the verification that opened it and when that began. */
    openedBy: text('opened_by'),
    openedByStartedAt: instant('opened_by_started_at'),
    /** A person's word, until it expires or is taken back: it overrules verification in that direction. */
    hand: text('hand').$type<'held' | 'open'>(),
    handActor: text('hand_actor'),
    handReason: text('hand_reason'),
    handExpiresAt: instant('hand_expires_at'),
  },
  (table) => [
    index('gate_verify_due').on(table.verifyDueAt).where(sql`verify_due_at is not null`),
    index('gate_hand_expires').on(table.handExpiresAt).where(sql`hand_expires_at is not null`),
    check(
      'gate_hand_is_whole',
      sql`(hand is null) = (hand_actor is null) and (hand is null) = (hand_reason is null) and (hand is null) = (hand_expires_at is null)`,
    ),
    check('gate_held_by_hand', sql`(hand is not distinct from 'held') = (reason = 'held_by_hand')`),
    check('gate_forced_open', sql`(hand is not distinct from 'open') = (reason = 'forced_open')`),
    check(
      'gate_obeys_the_hand',
      sql`hand is null or (hand = 'held' and state = 'held') or (hand = 'open' and state in ('open', 'releasing'))`,
    ),
  ],
);
