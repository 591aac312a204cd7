import type { CallbackState, ReconciliationAction, ReconciliationOutcome } from '@tidegate/core';
import type { Sql } from '../database/connect.ts';
import { decodeCursor, type Page, toPage } from '../database/cursor.ts';
import { toStoreError } from '../database/store-error.ts';

export interface ReconciliationRow {
  readonly id: string;
  readonly service: string;
  readonly generation: number;
  readonly trigger: 'release' | 'attempt';
  readonly startedAt: Date;
  readonly complete: number;
  readonly notStarted: number;
  readonly ambiguous: number;
}

export interface ReconciliationItem {
  readonly callback: string;
  readonly outcome: ReconciliationOutcome;
  readonly reason: string;
  readonly action: ReconciliationAction;
  readonly decidedAt: Date;
  /** The callback's state now; null when it is pruned. */
  readonly state: CallbackState | null;
}

export interface ReconciliationFilter {
  readonly service: string | null;
  /** Names of the services the reader may see; null means all. */
  readonly services: readonly string[] | null;
  readonly cursor: string | null;
  readonly limit: number;
}

/** Runs, newest first, with how many callbacks each found complete, not started and ambiguous. */
export async function listReconciliations(sql: Sql, filter: ReconciliationFilter): Promise<Page<ReconciliationRow>> {
  const cursor = filter.cursor === null ? null : decodeCursor(filter.cursor);
  try {
    const rows = await sql<(ReconciliationRow & { cursorAt: string })[]>`
      select ${columns(sql)}, r.started_at::text as cursor_at
      from reconciliation r join service s on s.id = r.service_id
      where true
        ${filter.service === null ? sql`` : sql`and s.name = ${filter.service}`}
        ${filter.services === null ? sql`` : sql`and s.name = any(${[...filter.services]}::text[])`}
        ${cursor === null ? sql`` : sql`and (r.started_at, r.id) < (${cursor.at}::text::timestamptz, ${cursor.id})`}
      order by r.started_at desc, r.id desc limit ${filter.limit + 1}`;
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

/** One run; null if unknown or outside `services`. */
export async function readReconciliation(
  sql: Sql,
  id: string,
  services: readonly string[] | null,
): Promise<ReconciliationRow | null> {
  try {
    const [row] = await sql<ReconciliationRow[]>`
      select ${columns(sql)} from reconciliation r join service s on s.id = r.service_id
      where r.id = ${id} ${services === null ? sql`` : sql`and s.name = any(${[...services]}::text[])`}`;
    return row ?? null;
  } catch (error) {
    throw toStoreError(error);
  }
}

/** What a run found, by callback id, after the id `after`: a run may have ten thousand. */
export async function listReconciliationItems(
  sql: Sql,
  id: string,
  after: string | null,
  limit: number,
): Promise<ReconciliationItem[]> {
  try {
    return await sql<ReconciliationItem[]>`
      select i.callback_id as callback, i.outcome, i.reason, i.action, i.decided_at, c.state
      from reconciliation_item i left join callback c on c.id = i.callback_id
      where i.reconciliation_id = ${id} and i.callback_id > ${after ?? ''} order by i.callback_id limit ${limit}`;
  } catch (error) {
    throw toStoreError(error);
  }
}

function columns(sql: Sql) {
  const count = (outcome: ReconciliationOutcome) => sql`(
    select count(*)::int from reconciliation_item i where i.reconciliation_id = r.id and i.outcome = ${outcome})`;
  return sql`r.id, s.name as service, r.generation, r.trigger, r.started_at, ${count('complete')} as complete,
    ${count('not_started')} as not_started, ${count('ambiguous')} as ambiguous`;
}
