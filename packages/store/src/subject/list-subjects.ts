import type { ConnectivityStatus, SubjectType } from '@tidegate/core';
import type { Sql } from '../database/connect.ts';
import { decodeCursor, type Page, toPage } from '../database/cursor.ts';
import { toStoreError } from '../database/store-error.ts';

export interface SubjectRow {
  readonly alias: string;
  readonly type: SubjectType;
  readonly group: string;
  readonly name: string | null;
  /** A tunnel's id when it is public. */
  readonly publicId: string | null;
  readonly device: string | null;
  readonly status: ConnectivityStatus | null;
  readonly suspect: boolean;
  readonly services: string[];
  readonly firstSeenAt: Date;
  readonly changedAt: Date | null;
}

export interface SubjectFilter {
  readonly type?: SubjectType | null;
  readonly status?: ConnectivityStatus | null;
  /** Of one source group. */
  readonly group?: string | null;
  /** One that depends on it. */
  readonly service?: string | null;
  readonly cursor: string | null;
  readonly limit: number;
}

/** Subjects with their connectivity view and the services that depend on them, newest first. */
export async function listSubjects(sql: Sql, filter: SubjectFilter): Promise<Page<SubjectRow>> {
  const { type = null, status = null, group = null, service = null } = filter;
  const cursor = filter.cursor === null ? null : decodeCursor(filter.cursor);
  try {
    const rows = await sql<(SubjectRow & { cursorAt: string })[]>`
      select s.alias, s.type, s.group_name as group, s.name, s.public_id, d.alias as device, s.first_seen_at, c.moved_at as changed_at,
        case when c.disconnected then 'disconnected' when not c.disconnected then 'connected' end as status,
        coalesce(c.suspect_disconnected or c.suspect_connected, false) as suspect, s.first_seen_at::text as cursor_at,
        (select coalesce(array_agg(v.name order by v.name), '{}') from dependency e join service v on v.id = e.service_id
          where e.subject_id = s.id) as services
      from subject s left join subject d on d.id = s.device_id left join connectivity c on c.subject_id = s.id
      where true
        ${type === null ? sql`` : sql`and s.type = ${type}`}
        ${status === null ? sql`` : sql`and c.disconnected = ${status === 'disconnected'}`}
        ${group === null ? sql`` : sql`and s.group_name = ${group}`}
        ${
          service === null
            ? sql``
            : sql`and exists (select 1 from dependency e join service v on v.id = e.service_id
          where e.subject_id = s.id and v.name = ${service})`
        }
        ${cursor === null ? sql`` : sql`and (s.first_seen_at, s.alias) < (${cursor.at}::text::timestamptz, ${cursor.id})`}
      order by s.first_seen_at desc, s.alias desc limit ${filter.limit + 1}`;
    return toPage(
      rows,
      filter.limit,
      (row) => row.alias,
      ({ cursorAt: _, ...row }) => row,
    );
  } catch (error) {
    throw toStoreError(error);
  }
}
