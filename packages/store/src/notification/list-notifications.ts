import type { NotificationKind, NotificationState, Severity } from '@tidegate/core';
import type { Sql } from '../database/connect.ts';
import { decodeCursor, type Page, toPage } from '../database/cursor.ts';
import { toStoreError } from '../database/store-error.ts';

export interface NotificationRow {
  readonly id: string;
  readonly incident: string | null;
  readonly channel: string;
  readonly kind: NotificationKind;
  readonly state: NotificationState;
  readonly severity: Severity;
  readonly title: string;
  readonly services: string[];
  readonly decidedAt: Date;
  readonly attempts: number;
  /** When the next attempt is due; null when there will be none. */
  readonly dueAt: Date | null;
  readonly endedAt: Date | null;
  /** Status of the last answer, and what was made of it. */
  readonly status: number | null;
  readonly reason: string | null;
}

export interface NotificationFilter {
  readonly state: NotificationState | null;
  readonly channel: string | null;
  readonly incident: string | null;
  /** Names of the services the reader may see; null means all. */
  readonly services: readonly string[] | null;
  readonly cursor: string | null;
  readonly limit: number;
}

/** The ledger, newest first. A limited reader sees what concerns no service but its own. */
export async function listNotifications(sql: Sql, filter: NotificationFilter): Promise<Page<NotificationRow>> {
  const cursor = filter.cursor === null ? null : decodeCursor(filter.cursor);
  const { state, channel, incident, services, limit } = filter;
  try {
    const rows = await sql<(NotificationRow & { cursorAt: string })[]>`
      select ${columns(sql)}, n.decided_at::text as cursor_at from notification n
      where true
        ${state === null ? sql`` : sql`and n.state = ${state}`}
        ${channel === null ? sql`` : sql`and n.channel = ${channel}`}
        ${incident === null ? sql`` : sql`and n.thread = ${incident}`}
        ${
          services === null
            ? sql``
            : sql`and n.message -> 'services' <> '[]' and ${named(sql)} <@ ${[...services]}::text[]
                and jsonb_array_length(n.message -> 'services') = (n.message ->> 'servicesInAll')::int`
        }
        ${cursor === null ? sql`` : sql`and (n.decided_at, n.id) < (${cursor.at}::text::timestamptz, ${cursor.id})`}
      order by n.decided_at desc, n.id desc limit ${limit + 1}`;
    return toPage(
      rows,
      limit,
      (row) => row.id,
      ({ cursorAt: _, ...row }) => row,
    );
  } catch (error) {
    throw toStoreError(error);
  }
}

/** One notification; null if unknown. */
export async function readNotification(sql: Sql, id: string): Promise<NotificationRow | null> {
  try {
    const [row] = await sql<NotificationRow[]>`select ${columns(sql)} from notification n where n.id = ${id}`;
    return row ?? null;
  } catch (error) {
    throw toStoreError(error);
  }
}

function columns(sql: Sql) {
  return sql`n.id, n.incident_id as incident, n.channel, n.kind, n.state, n.severity, n.message ->> 'title' as title, ${named(sql)} as services,
    n.decided_at, n.attempts, n.due_at, n.ended_at, n.status, n.reason`;
}

function named(sql: Sql) {
  return sql`array(select jsonb_array_elements_text(n.message -> 'services'))`;
}
