import type { Layer, LayerOutcome, LayerReason, Verdict } from '@tidegate/core';
import { sql } from 'drizzle-orm';
import { bigint, boolean, check, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { instant } from './columns.ts';

/** One run of the six layers for one service, or of the device and tunnel layers for an incident that no service has part in. */
export const verification = pgTable(
  'verification',
  {
    id: text('id').primaryKey(),
    serviceId: integer('service_id'),
    incidentId: text('incident_id'),
    generation: bigint('generation', { mode: 'number' }).notNull(),
    startedAt: instant('started_at').notNull(),
    finishedAt: instant('finished_at').notNull(),
    verdict: text('verdict').$type<Verdict>().notNull(),
    firstBroken: text('first_broken').$type<Layer>(),
    runbook: text('runbook').notNull(),
    passed: boolean('passed').notNull(),
    /** Passes counted under this generation, this run included; 0 when the run was overtaken. */
    passes: integer('passes').notNull(),
    /** True when a newer generation made this run's result worthless. */
    overtaken: boolean('overtaken').notNull(),
  },
  (table) => [
    index('verification_service').on(table.serviceId, table.startedAt),
    index('verification_incident').on(table.incidentId, table.startedAt).where(sql`incident_id is not null`),
    index('verification_finished').on(table.finishedAt),
    check('verification_is_of_one', sql`(service_id is null) <> (incident_id is null)`),
  ],
);

export const verificationLayer = pgTable(
  'verification_layer',
  {
    verificationId: text('verification_id')
      .notNull()
      .references(() => verification.id, { onDelete: 'cascade' }),
    layer: text('layer').$type<Layer>().notNull(),
    outcome: text('outcome').$type<LayerOutcome>().notNull(),
    reason: text('reason').$type<LayerReason>().notNull(),
    latencyMs: integer('latency_ms'),
    detail: text('detail').notNull(),
  },
  (table) => [primaryKey({ columns: [table.verificationId, table.layer] })],
);
