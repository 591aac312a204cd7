import type { Sql } from '../database/connect.ts';
import { decodeCursor, numericId, type Page, toPage } from '../database/cursor.ts';
import { toStoreError } from '../database/store-error.ts';

/** A drop that healed inside the debounce: nobody was paged for it. */
export interface BlipRow {
  readonly id: string;
  readonly groupAlias: string;
  readonly groupName: string | null;
  /** Names of the services that depend on the group now, sorted; of those the reader may see. */
  readonly services: string[];
  readonly firstAt: Date;
  readonly lastAt: Date;
  /** Observations it was made of. */
  readonly count: number;
  readonly recordedAt: Date;
}

export interface BlipFilter {
  /** Alias of the group's subject. */
  readonly group: string | null;
  /** One that depends on the group. */
  readonly service?: string | null;
  /** Recorded no earlier than that. */
  readonly since?: Date | null;
  /** Names of the services the reader may see; null or absent means all, and blips of none. */
  readonly services?: readonly string[] | null;
  readonly cursor: string | null;
  readonly limit: number;
}

/** Blips by when they were recorded, newest first. */
export async function listBlips(sql: Sql, filter: BlipFilter): Promise<Page<BlipRow>> {
  const { service = null, since = null, services = null } = filter;
  const cursor = filter.cursor === null ? null : numericId(decodeCursor(filter.cursor));
  try {
    const rows = await sql<(BlipRow & { cursorAt: string })[]>`
      select b.id::text as id, g.alias as group_alias, g.name as group_name, n.services, b.first_at, b.last_at, b.count, b.recorded_at,
        b.recorded_at::text as cursor_at
      from blip b join subject g on g.id = b.group_id
      cross join lateral (
        select coalesce(array_agg(v.name order by v.name), '{}') as services from service v
        where v.retired_at is null ${services === null ? sql`` : sql`and v.name = any(${[...services]}::text[])`} and exists (
          select 1 from dependency d join subject m on m.id = d.subject_id
          where d.service_id = v.id and (m.id = g.id or m.device_id = g.id))
      ) n
      where true
        ${services === null ? sql`` : sql`and n.services <> '{}'`}
        ${service === null ? sql`` : sql`and ${service} = any(n.services)`}
        ${since === null ? sql`` : sql`and b.recorded_at >= ${since}`}
        ${filter.group === null ? sql`` : sql`and g.alias = ${filter.group}`}
        ${cursor === null ? sql`` : sql`and (b.recorded_at, b.id) < (${cursor.at}::text::timestamptz, ${cursor.id}::bigint)`}
      order by b.recorded_at desc, b.id desc limit ${filter.limit + 1}`;
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
