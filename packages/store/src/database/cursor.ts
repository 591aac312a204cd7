import { AppError } from '@tidegate/core';

/** A place in a list ordered by time, then id; opaque to clients. */
export interface Cursor {
  /** Postgres' own text of the timestamp: a Date would drop the microseconds and skip or repeat rows. */
  readonly at: string;
  readonly id: string;
}

function encodeCursor(cursor: Cursor): string {
  return Buffer.from(JSON.stringify([cursor.at, cursor.id])).toString('base64url');
}

const AT = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?[+-]\d\d(:\d\d)?$/;
const ID = /^[A-Za-z0-9_-]{1,64}$/;

/** @throws AppError `bad_cursor` for anything that `encodeCursor` did not make */
export function decodeCursor(text: string): Cursor {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    if (Array.isArray(parsed) && parsed.length === 2 && AT.test(String(parsed[0])) && ID.test(String(parsed[1]))) {
      return { at: String(parsed[0]), id: String(parsed[1]) };
    }
  } catch {
    // falls through to the one answer for a cursor that is not ours
  }
  throw new AppError({ code: 'bad_cursor', publicMessage: 'The cursor is not one this API gave out.' });
}

/** For lists whose ids are numbers. @throws AppError `bad_cursor` for a cursor of another list */
export function numericId(cursor: Cursor): Cursor {
  if (/^\d{1,18}$/.test(cursor.id)) return cursor;
  throw new AppError({ code: 'bad_cursor', publicMessage: 'The cursor is not one this list gave out.' });
}

export interface Page<T> {
  readonly items: T[];
  readonly nextCursor: string | null;
}

/** Cuts a page from one row more than was asked for, and names where the next one starts. */
export function toPage<R extends { cursorAt: string }, T>(
  rows: R[],
  limit: number,
  idOf: (row: R) => string,
  shape: (row: R) => T,
): Page<T> {
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return {
    items: rows.slice(0, limit).map(shape),
    nextCursor: last === undefined ? null : encodeCursor({ at: last.cursorAt, id: idOf(last) }),
  };
}
