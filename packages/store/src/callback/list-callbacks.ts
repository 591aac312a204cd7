import type {
  AttemptPhase,
  CallbackState,
  ReconciliationAction,
  ReconciliationOutcome,
  RepeatContract,
} from '@tidegate/core';
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

/** What the latest run that sorted a callback found about it. */
interface ReconciliationEntry {
  /** The run. */
  readonly id: string;
  readonly outcome: ReconciliationOutcome;
  readonly reason: string;
  readonly action: ReconciliationAction;
  readonly decidedAt: Date;
}

export interface CallbackDetail extends CallbackRow {
  readonly deadlineAt: Date | null;
  /** Null before the first run, while a new one is to come, and once the run is pruned. */
  readonly reconciliation: ReconciliationEntry | null;
  readonly tries: {
    readonly number: number;
    readonly startedAt: Date;
    readonly finishedAt: Date | null;
    readonly phase: AttemptPhase | null;
    readonly status: number | null;
    readonly reason: string | null;
    readonly latencyMs: number | null;
    /** When a status lookup proved that it had no effect. */
    readonly disprovedAt: Date | null;
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

/** An entry as a row of the join has it; `run` is null when there is none, and so is the rest. */
type JoinedEntry = Omit<ReconciliationEntry, 'id' | 'reason'> & {
  readonly run: string | null;
  readonly runReason: string;
};

/** One callback with its attempts; null if unknown or outside `services`. */
export async function readCallback(
  sql: Sql,
  id: string,
  services: readonly string[] | null,
): Promise<CallbackDetail | null> {
  try {
    const [row] = await sql<(CallbackRow & { deadlineAt: Date | null } & JoinedEntry)[]>`
      select ${callbackColumns(sql)}, c.deadline_at, i.reconciliation_id as run, i.outcome, i.reason as run_reason, i.action, i.decided_at
      from callback c join service s on s.id = c.service_id
      left join reconciliation_item i on i.reconciliation_id = c.reconciliation_id and i.callback_id = c.id
      where c.id = ${id} ${services === null ? sql`` : sql`and s.name = any(${[...services]}::text[])`}`;
    if (row === undefined) return null;
    const tries = await sql<CallbackDetail['tries']>`
      select number, started_at, finished_at, phase, status, reason, latency_ms, disproved_at
      from attempt where callback_id = ${id} order by number`;
    const { run, outcome, runReason, action, decidedAt, ...callback } = row;
    const reconciliation = run === null ? null : { id: run, outcome, reason: runReason, action, decidedAt };
    return { ...callback, reconciliation, tries };
  } catch (error) {
    throw toStoreError(error);
  }
}

function callbackColumns(sql: Sql) {
  return sql`c.id, s.name as service, c.state, c.reason, c.method, c.origin, c.safety, c.repeat, c.attempts, c.created_at, c.due_at, c.finished_at`;
}
