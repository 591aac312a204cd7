import { AppError } from '@tidegate/core';

/** SQLSTATE class 22: the database could not read a value. */
const UNREADABLE = /^22/;

/**
 * A cursor of another list, or one with a date that no calendar has, passes for a cursor until the database reads it. Then it is
 * the caller's mistake and not ours.
 */
export function refuseForgedCursor<F extends { readonly cursor: string | null }, R>(
  list: (filter: F) => Promise<R>,
): (filter: F) => Promise<R> {
  return async (filter) => {
    try {
      return await list(filter);
    } catch (error) {
      const unreadable = error instanceof AppError && UNREADABLE.test(error.detail ?? '');
      if (filter.cursor === null || !unreadable) throw error;
      throw new AppError({ code: 'bad_cursor', publicMessage: 'The cursor is not one this list gave out.' });
    }
  };
}
