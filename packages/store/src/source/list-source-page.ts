import type { Sql } from '../database/connect.ts';
import { decodeCursor, numericId, type Page, toPage } from '../database/cursor.ts';
import { toStoreError } from '../database/store-error.ts';
import type { SourceRow } from './list-sources.ts';

/** A live source as lists tell it. */
export type SourceListRow = Pick<
  SourceRow,
  'name' | 'group' | 'timeZone' | 'watch' | 'createdAt' | 'lastSeenAt' | 'counters'
>;

/** Live sources, newest first. */
export async function listSourcePage(
  sql: Sql,
  filter: { readonly cursor: string | null; readonly limit: number },
): Promise<Page<SourceListRow>> {
  const cursor = filter.cursor === null ? null : numericId(decodeCursor(filter.cursor));
  try {
    const rows = await sql<(SourceListRow & { cursorAt: string; id: string })[]>`
      select s.id::text as id, s.name, s.group_name as group, s.time_zone, s.watch, s.created_at, s.last_seen_at,
        s.created_at::text as cursor_at,
        (select coalesce(jsonb_object_agg(c.outcome, c.count), '{}') from source_counter c where c.source_id = s.id) as counters
      from source s where s.retired_at is null
        ${cursor === null ? sql`` : sql`and (s.created_at, s.id) < (${cursor.at}::text::timestamptz, ${cursor.id}::int)`}
      order by s.created_at desc, s.id desc limit ${filter.limit + 1}`;
    return toPage(
      rows,
      filter.limit,
      (row) => row.id,
      ({ cursorAt: _, id: __, ...row }) => row,
    );
  } catch (error) {
    throw toStoreError(error);
  }
}
