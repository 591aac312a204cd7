import type { ConnectivityStatus, SubjectType } from '@tidegate/core';
import type { Sql } from '../database/connect.ts';
import { decodeCursor, type Page, toPage } from '../database/cursor.ts';
import { toStoreError } from '../database/store-error.ts';

export interface ObservationRow {
  readonly key: string;
  readonly subject: string;
  readonly name: string | null;
  readonly type: SubjectType;
  readonly status: ConnectivityStatus;
  readonly source: string;
  /** Null when the date was not one, and is sealed. */
  readonly actionDate: string | null;
  readonly trusted: boolean;
  readonly receivedAt: Date;
  readonly deliveries: number;
}

export interface ObservationFilter {
  /** Alias of one subject. */
  readonly subject: string | null;
  readonly status?: ConnectivityStatus | null;
  /** Name of one source. */
  readonly source?: string | null;
  /** First received no earlier than that. */
  readonly since?: Date | null;
  readonly cursor: string | null;
  readonly limit: number;
}

/** Observations by first receipt, newest first, with how often each was delivered (repeats within retention). */
export async function listObservations(sql: Sql, filter: ObservationFilter): Promise<Page<ObservationRow>> {
  const { status = null, source = null, since = null } = filter;
  const cursor = filter.cursor === null ? null : decodeCursor(filter.cursor);
  try {
    const rows = await sql<(ObservationRow & { cursorAt: string })[]>`
      select o.key, s.alias as subject, s.name, s.type, o.status, src.name as source, o.action_date, o.trusted,
        o.first_received_at as received_at, o.first_received_at::text as cursor_at,
        (select 1 + count(d.id)::int from observation_key k join delivery d on d.observation_key = k.key and d.id <> k.first_delivery_id
          where k.key = o.key) as deliveries
      from observation o join subject s on s.id = o.subject_id join source src on src.id = o.source_id
      where true
        ${filter.subject === null ? sql`` : sql`and s.alias = ${filter.subject}`}
        ${status === null ? sql`` : sql`and o.status = ${status}`}
        ${source === null ? sql`` : sql`and src.name = ${source}`}
        ${since === null ? sql`` : sql`and o.first_received_at >= ${since}`}
        ${cursor === null ? sql`` : sql`and (o.first_received_at, o.key) < (${cursor.at}::text::timestamptz, ${cursor.id}::uuid)`}
      order by o.first_received_at desc, o.key desc limit ${filter.limit + 1}`;
    return toPage(
      rows,
      filter.limit,
      (row) => row.key,
      ({ cursorAt: _, ...row }) => row,
    );
  } catch (error) {
    throw toStoreError(error);
  }
}
