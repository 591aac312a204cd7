import type { ConnectivityStatus } from '@tidegate/core';
import type { Sql, Transaction } from '../database/connect.ts';
import { toPlainArray, toTextArray } from './to-array-literal.ts';

/** One accepted delivery, ready to be recorded. */
export interface DeliveryRecord {
  /** Made by the receiver, so that a batch sent twice counts once. */
  readonly deliveryId: string;
  readonly observationKey: string;
  readonly subjectId: number;
  readonly sourceId: number;
  readonly status: ConnectivityStatus;
  /** 100 ns ticks since the Unix epoch; null when undated. */
  readonly ticks: bigint | null;
  readonly zone: 'utc' | 'offset' | 'assumed' | null;
  /** The text as sent when it is a date, else null and sealed. */
  readonly actionDate: string | null;
  readonly sealedActionDate: Buffer | null;
  /** Allow-listed names of unknown extra fields, comma-joined. */
  readonly extraFields: string | null;
  readonly extraUnnamed: number;
}

export interface RecordSettings {
  readonly skewBoundMs: number;
  /** Debounce of groups that no service claims (a `watch: all` source). */
  readonly openAfterMs: number;
  readonly maxWaitMs: number;
}

export interface RecordedBatch {
  /** Per delivery, in the order given: an exact repeat of an observation already known. */
  readonly repeats: boolean[];
  /** When the correlator must wake for groups this batch armed. */
  readonly armedDue: Date[];
  /** Services whose open gate this batch shut. */
  readonly shut: string[];
  readonly verifyDue: Date[];
}

/**
 * Records a batch in one round trip and one commit: observations, deliveries, view, gates and pending (I1, I2).
 * Errors pass through untranslated: the caller decides between retry, bisect and 503.
 * @param now for tests of equivalence only; Postgres' clock otherwise
 */
export async function recordBatch(
  sql: Sql | Transaction,
  batch: readonly DeliveryRecord[],
  settings: RecordSettings,
  now: Date | null = null,
): Promise<RecordedBatch> {
  const sealed = batch.map(({ sealedActionDate }) => sealedActionDate && `\\x${sealedActionDate.toString('hex')}`);
  const [row] = await sql<RecordedBatch[]>`
    select repeats, armed_due, shut, verify_due from record_batch(
      ${toPlainArray(batch.map((d) => d.deliveryId))}::uuid[], ${toPlainArray(batch.map((d) => d.observationKey))}::uuid[],
      ${toPlainArray(batch.map((d) => d.subjectId))}::bigint[], ${toPlainArray(batch.map((d) => d.sourceId))}::int[],
      ${toPlainArray(batch.map((d) => d.status === 'disconnected'))}::boolean[],
      ${toPlainArray(batch.map((d) => d.ticks))}::bigint[], ${toPlainArray(batch.map((d) => d.zone))}::text[],
      ${toTextArray(batch.map((d) => d.actionDate))}::text[], ${toTextArray(sealed)}::bytea[],
      ${toTextArray(batch.map((d) => d.extraFields))}::text[], ${toPlainArray(batch.map((d) => d.extraUnnamed))}::smallint[],
      ${settings.skewBoundMs}::bigint, ${settings.openAfterMs}::int, ${settings.maxWaitMs}::int, ${now}::timestamptz)`;
  if (row === undefined) throw new Error('record_batch answered no row');
  return row;
}
