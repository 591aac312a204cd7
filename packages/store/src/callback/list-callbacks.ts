import type { AttemptPhase, CallbackState, RepeatContract } from '@tidegate/core';
import type { Sql } from '../database/connect.ts';
import { decodeCursor, type Page, toPage } from '../database/cursor.ts';
import { toStoreError } from '../database/store-error.ts';

export interface CallbackRow {
  readonly id: string;
  readonly service: string;
  readonly state: CallbackState;
  readonly reason: string | null;
  readonly method: string;
  /** Scheme, host and port of the URL: all of it that may be shown. */
  readonly origin: string;
  readonly safety: 'unsafe' | 'safe';
  readonly repeat: RepeatContract;
  readonly attempts: number;
  readonly createdAt: Date;
  readonly dueAt: Date | null;
  readonly finishedAt: Date | null;
}

export interface CallbackDetail extends CallbackRow {
  readonly tries: {
    readonly number: number;
    readonly startedAt: Date;
    readonly finishedAt: Date | null;
    readonly phase: AttemptPhase | null;
    readonly status: number | null;
    readonly reason: string | null;
    readonly latencyMs: number | null;
  }[];
}

export interface CallbackFilter {
  readonly service: string | null;
  readonly state: CallbackState | null;
  readonly cursor: string | null;
  readonly limit: number;
  readonly services: readonly string[] | null;
}

/** Callbacks, newest first; nothing that was sealed is in a row. */
export async function listCallbacks(sql: Sql, filter: CallbackFilter): Promise<Page<CallbackRow>> {
  const cursor = filter.cursor === null ? null : decodeCursor(filter.cursor);
  try {
    const rows = await sql<(CallbackRow & { cursorAt: string })[]>`
      select ${callbackColumns(sql)}, c.created_at::text as cursor_at
      from callback c join service s on s.id = c.service_id
      where true
        ${filter.service === null ? sql`` : sql`and s.name = ${filter.service}`}
        ${filter.state === null ? sql`` : sql`and c.state = ${filter.state}`}
        ${filter.services === null ? sql`` : sql`and s.name = any(${[...filter.services]}::text[])`}
        ${cursor === null ? sql`` : sql`and (c.created_at, c.id) < (${cursor.at}::text::timestamptz, ${cursor.id})`}
      order by c.created_at desc, c.id desc limit ${filter.limit + 1}`;
    return toPage(
      rows,
      filter.limit,
      (row) => row.id,
      ({ cursorAt: _, ...row }) => row,
    );
  } catch (error) {
    throw toStoreError(error);
  }
}

/** One callback with its attempts; null if unknown or outside `services`. */
export async function readCallback(
  sql: Sql,
  id: string,
  services: readonly string[] | null,
): Promise<CallbackDetail | null> {
  try {
    const [row] = await sql<CallbackRow[]>`
      select ${callbackColumns(sql)} from callback c join service s on s.id = c.service_id
      where c.id = ${id} ${services === null ? sql`` : sql`and s.name = any(${[...services]}::text[])`}`;
    if (row === undefined) return null;
    const tries = await sql<CallbackDetail['tries']>`
      select number, started_at, finished_at, phase, status, reason, latency_ms from attempt where callback_id = ${id} order by number`;
    return { ...row, tries };
  } catch (error) {
    throw toStoreError(error);
  }
}

function callbackColumns(sql: Sql) {
  return sql`c.id, s.name as service, c.state, c.reason, c.method, c.origin, c.safety, c.repeat, c.attempts, c.created_at, c.due_at, c.finished_at`;
}
