import type { Sql, Transaction } from '../database/connect.ts';
import { toStoreError } from '../database/store-error.ts';

/** A quarantined body as it is listed: what was wrong, never what it was. */
export interface QuarantineRow {
  readonly id: string;
  readonly source: string;
  readonly receivedAt: Date;
  readonly field: string;
  readonly problem: string;
  readonly bytes: number;
  readonly replayedAt: Date | null;
  /** The observation it became. */
  readonly replayedAs: string | null;
}

/** The same with what is needed to open it and to record it as its source would. */
export interface StoredQuarantine extends QuarantineRow {
  readonly sourceId: number;
  readonly group: string;
  readonly timeZone: string;
  readonly sealedBody: Buffer;
}

/** The newest `limit` rows, newest first. */
export async function listQuarantine(sql: Sql, limit: number): Promise<QuarantineRow[]> {
  try {
    return await sql<QuarantineRow[]>`
      select ${shown(sql)} from quarantine q join source s on s.id = q.source_id
      order by q.received_at desc, q.id desc limit ${limit}`;
  } catch (error) {
    throw toStoreError(error);
  }
}

/** One row with its sealed body; null when there is none of this id. */
export async function readQuarantined(sql: Sql, id: string): Promise<StoredQuarantine | null> {
  try {
    const [row] = await sql<StoredQuarantine[]>`
      select ${shown(sql)}, q.source_id, s.group_name as group, s.time_zone, q.sealed_body
      from quarantine q join source s on s.id = q.source_id where q.id = ${id}`;
    return row ?? null;
  } catch (error) {
    throw toStoreError(error);
  }
}

/**
 * Takes a row for being recorded, in the transaction that records it, so that of two replays one happens.
 * @returns false when it was replayed before, or pruned
 */
export async function claimReplay(tx: Transaction, id: string, observation: string): Promise<boolean> {
  const { count } = await tx`
    update quarantine set replayed_at = clock_timestamp(), replayed_as = ${observation}
    where id = ${id} and replayed_at is null`;
  return count === 1;
}

function shown(sql: Sql) {
  return sql`q.id, s.name as source, q.received_at, q.field, q.problem, q.bytes, q.replayed_at, q.replayed_as`;
}
