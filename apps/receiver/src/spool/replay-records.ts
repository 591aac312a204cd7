import { AppError } from '@tidegate/core';
import type { DataKeyRow, DeliveryRecord, RecordSettings, Sql } from '@tidegate/store';
import { loadDataKey, resolveSubjects, saveDataKey, toStoreError } from '@tidegate/store';
import { type Keyring, receivedAtMs } from '@tidegate/vault';
import type { SaveQuarantined } from '../quarantine/save-quarantined.ts';
import { type CommitEffects, commitDeliveries } from '../record/commit-deliveries.ts';
import { withDeadline } from '../record/with-deadline.ts';
import type { SpooledBody, SpooledDelivery, SpooledRecord } from './spooled-record.ts';

const BATCH = 512;
/** For every step of its own: what is many steps long gets somewhere however slow each is. */
const STEP_DEADLINE_MS = 10_000;
/** SQLSTATEs of what a row holds. */
const BAD_DATA = /^2[23]...$/;
const TICKS_PER_MS = 10_000n;

export interface ReplayOptions {
  readonly sql: Sql;
  readonly keyring: Keyring;
  readonly settings: RecordSettings;
  readonly saveBody: SaveQuarantined;
  readonly announce: (effects: CommitEffects, size: number) => void;
}

/**
 * Records what was spooled, in order. Every step may be repeated: data keys, subjects, deliveries and bodies are kept once.
 * What was sealed under keys that are retired by now is not recorded: its subject would be taken for one never heard of.
 * @returns how many were not, for that or because the store refuses what they hold
 * @throws AppError when the store is away again
 */
export async function replayRecords(options: ReplayOptions, records: readonly SpooledRecord[]): Promise<number> {
  let refused = 0;
  for (let at = 0; at < records.length; at += BATCH) {
    const batch = records.slice(at, at + BATCH);
    const usable = await withoutRetired(options, batch);
    refused += batch.length - usable.length + (await replayBatch(options, usable));
  }
  return refused;
}

async function replayBatch(options: ReplayOptions, records: readonly SpooledRecord[]): Promise<number> {
  await saveDataKeys(options.sql, records);
  let refused = 0;
  for (const record of records) if (record.kind === 'body' && !(await isBodyKept(options, record))) refused += 1;
  const deliveries = records.filter((record) => record.kind === 'delivery');
  if (deliveries.length === 0) return refused;
  return refused + (await withDeadline(replayDeliveries(options, deliveries), STEP_DEADLINE_MS));
}

async function replayDeliveries(options: ReplayOptions, deliveries: readonly SpooledDelivery[]): Promise<number> {
  const ids = await resolveOnce(options.sql, deliveries);
  const rows = deliveries.map(({ delivery }, index): DeliveryRecord => {
    const ticks = trustedTicks(delivery, options.settings.skewBoundMs);
    return { ...delivery, subjectId: ids[index] as number, ticks, zone: ticks === null ? null : delivery.zone };
  });
  const outcomes = await commitDeliveries(options.sql, rows, options.settings, options.announce);
  return outcomes.filter(({ kind }) => kind === 'refused').length;
}

/** Whether the store took a body; false when it refuses it for what it holds, which waiting would not change. */
async function isBodyKept({ saveBody }: ReplayOptions, { body, verifyGates }: SpooledBody): Promise<boolean> {
  try {
    await withDeadline(saveBody(body, verifyGates), STEP_DEADLINE_MS);
    return true;
  } catch (error) {
    if (error instanceof AppError && BAD_DATA.test(error.detail ?? '')) return false;
    throw error;
  }
}

async function saveDataKeys(sql: Sql, records: readonly SpooledRecord[]): Promise<void> {
  const rows = new Map<string, DataKeyRow>(records.flatMap(({ dataKeys }) => dataKeys.map((row) => [row.id, row])));
  for (const row of rows.values()) await withDeadline(saveDataKey(sql, row), STEP_DEADLINE_MS);
}

/**
 * Without what was found by no live fingerprint key, and what is sealed under a data key that no live sealing key opens,
 * unless the store has that data key, since then it was wrapped anew.
 */
async function withoutRetired(
  { sql, keyring }: ReplayOptions,
  records: readonly SpooledRecord[],
): Promise<readonly SpooledRecord[]> {
  const lost = new Set<string>();
  for (const id of new Set(records.flatMap(({ dataKeys }) => dataKeys.filter(isRetired).map((row) => row.id)))) {
    if ((await withDeadline(loadDataKey(sql, id), STEP_DEADLINE_MS)) === null) lost.add(id);
  }
  return records.filter(
    (record) => !record.dataKeys.some(({ id }) => lost.has(id)) && (record.kind === 'body' || isNamed(record)),
  );

  function isRetired({ recipientKeyId }: DataKeyRow): boolean {
    return !keyring.recipientIds.has(recipientKeyId);
  }

  function isNamed({ subject: { fingerprint, otherFingerprints = [] } }: SpooledDelivery): boolean {
    return [fingerprint, ...otherFingerprints].some(({ version }) => keyring.fingerprint.keys.has(version));
  }
}

/** The subjects' ids, one per delivery; each subject is asked for once. */
async function resolveOnce(sql: Sql, deliveries: readonly SpooledDelivery[]): Promise<number[]> {
  const keys = deliveries.map(
    ({ subject: { fingerprint } }) => `${fingerprint.version} ${fingerprint.value.toString('hex')}`,
  );
  const subjects = new Map(deliveries.map(({ subject }, index) => [keys[index] ?? '', subject]));
  try {
    const found = await resolveSubjects(sql, [...subjects.values()]);
    const ids = new Map([...subjects.keys()].map((key, index) => [key, found[index]?.id]));
    return keys.map((key) => ids.get(key) ?? unresolved());
  } catch (error) {
    throw toStoreError(error);
  }
}

/**
 * The store compares a date with the moment of recording. What was dated too far ahead when it was *received* must not come
 * to be believed by waiting, so it is recorded as undated, which has the same effects (DESIGN §4).
 */
function trustedTicks({ ticks, deliveryId }: SpooledDelivery['delivery'], skewBoundMs: number): bigint | null {
  if (ticks === null) return null;
  return ticks <= BigInt(receivedAtMs(deliveryId) + skewBoundMs) * TICKS_PER_MS ? ticks : null;
}

function unresolved(): never {
  throw new Error('a subject that was resolved has an id');
}
