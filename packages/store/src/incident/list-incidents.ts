import type { IncidentKind, IncidentState, Layer } from '@tidegate/core';
import type { Sql, Transaction } from '../database/connect.ts';
import { decodeCursor, type Page, toPage } from '../database/cursor.ts';
import { toStoreError } from '../database/store-error.ts';

export interface IncidentRow {
  readonly id: string;
  readonly kind: IncidentKind;
  readonly state: IncidentState;
  /** Of a mass outage both are the name of the source group, which has no alias. */
  readonly groupAlias: string;
  readonly groupName: string | null;
  readonly services: string[];
  readonly openedAt: Date;
  /** When its present, or last, episode began: when it was opened, or last reopened. */
  readonly since: Date;
  readonly resolvedAt: Date | null;
  readonly resolvedBy: string | null;
  readonly mergedInto: string | null;
  readonly reopened: number;
  readonly summary: string;
  readonly firstBroken: Layer | null;
}

export interface IncidentFilter {
  readonly state: IncidentState | null;
  readonly kind?: IncidentKind | null;
  /** One that it concerns. */
  readonly service?: string | null;
  /** Opened no earlier than that. */
  readonly since?: Date | null;
  readonly cursor: string | null;
  readonly limit: number;
  /** Names of the services the reader may see; null means all. */
  readonly services: readonly string[] | null;
}

/** Incidents, newest first, without those merged into another. */
export async function listIncidents(sql: Sql, filter: IncidentFilter): Promise<Page<IncidentRow>> {
  const { kind = null, service = null, since = null } = filter;
  const cursor = filter.cursor === null ? null : decodeCursor(filter.cursor);
  try {
    const rows = await sql<(IncidentRow & { cursorAt: string })[]>`
      select ${incidentColumns(sql)}, i.opened_at::text as cursor_at
      from incident i left join subject g on g.id = i.group_id
      where i.merged_into is null
        ${filter.state === null ? sql`` : sql`and i.state = ${filter.state}`}
        ${kind === null ? sql`` : sql`and i.kind = ${kind}`}
        ${service === null ? sql`` : sql`and ${namesOneOf(sql, [service])}`}
        ${since === null ? sql`` : sql`and i.opened_at >= ${since}`}
        ${filter.services === null ? sql`` : sql`and ${namesOneOf(sql, filter.services)}`}
        ${cursor === null ? sql`` : sql`and (i.opened_at, i.id) < (${cursor.at}::text::timestamptz, ${cursor.id})`}
      order by i.opened_at desc, i.id desc limit ${filter.limit + 1}`;
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

export function incidentColumns(sql: Sql) {
  return sql`i.id, i.kind, i.state, coalesce(g.alias, i.mass_group) as group_alias, coalesce(g.name, i.mass_group) as group_name, i.opened_at, i.resolved_at, i.resolved_by, i.merged_into,
    i.reopened, ${sinceOf(sql)} as since, i.summary, i.first_broken,
    (select coalesce(array_agg(s.name order by s.name), '{}') from incident_service x join service s on s.id = x.service_id
      where x.incident_id = i.id) as services`;
}

/** The timeline has when it was reopened; between an end and that it was well. */
export function sinceOf(sql: Sql | Transaction) {
  return sql`case when i.reopened = 0 then i.opened_at else coalesce(
    (select max(t.at) from timeline_entry t where t.incident_id = i.id and t.event = 'incident.reopened'), i.opened_at) end`;
}

export function namesOneOf(sql: Sql, services: readonly string[]) {
  return sql`exists (select 1 from incident_service x join service s on s.id = x.service_id
    where x.incident_id = i.id and s.name = any(${[...services]}::text[]))`;
}
