import { AppError } from '@tidegate/core';
import type { Sql } from '../database/connect.ts';
import { type Cursor, decodeCursor, type Page, toPage } from '../database/cursor.ts';
import { toStoreError } from '../database/store-error.ts';

/** A drop that healed inside the debounce: nobody was paged for it. */
export interface BlipRow {
  readonly id: string;
  readonly groupAlias: string;
  readonly groupName: string | null;
  readonly firstAt: Date;
  readonly lastAt: Date;
  /** Observations it was made of. */
  readonly count: number;
  readonly recordedAt: Date;
}

/** Blips by when they were recorded, newest first; of one group when its alias is given. */
export async function listBlips(
  sql: Sql,
  filter: { group: string | null; cursor: string | null; limit: number },
): Promise<Page<BlipRow>> {
  const cursor = filter.cursor === null ? null : readCursor(filter.cursor);
  try {
    const rows = await sql<(BlipRow & { cursorAt: string })[]>`
      select b.id::text as id, g.alias as group_alias, g.name as group_name, b.first_at, b.last_at, b.count, b.recorded_at,
        b.recorded_at::text as cursor_at
      from blip b join subject g on g.id = b.group_id
      where true
        ${filter.group === null ? sql`` : sql`and g.alias = ${filter.group}`}
        ${cursor === null ? sql`` : sql`and (b.recorded_at, b.id) < (${cursor.at}::timestamptz, ${cursor.id}::bigint)`}
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

/** @throws AppError `bad_cursor` for one that belongs to another list too: ids are numbers here */
function readCursor(text: string): Cursor {
  const cursor = decodeCursor(text);
  if (/^\d{1,18}$/.test(cursor.id)) return cursor;
  throw new AppError({ code: 'bad_cursor', publicMessage: 'The cursor is not one this list gave out.' });
}
