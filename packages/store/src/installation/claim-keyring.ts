import { AppError } from '@tidegate/core';
import type { Sql } from '../database/connect.ts';
import { toStoreError } from '../database/store-error.ts';

/**
 * Binds the database to a keyring at first use. Under another one every subject would get a second alias and nothing sealed
 * could be opened, so a process that brings one must not start.
 * @throws AppError `keyring_mismatch`
 */
export async function claimKeyring(sql: Sql, keyringId: string): Promise<void> {
  let bound: string | undefined;
  try {
    await sql`insert into installation (keyring_id) values (${keyringId}) on conflict do nothing`;
    const [row] = await sql<{ keyringId: string }[]>`select keyring_id from installation`;
    bound = row?.keyringId;
  } catch (error) {
    throw toStoreError(error);
  }
  if (bound !== keyringId) throw keyringMismatch();
}

/** The error for a database that belongs to another keyring than the one at hand. */
export function keyringMismatch(): AppError {
  return new AppError({
    code: 'keyring_mismatch',
    publicMessage:
      'This database belongs to another keyring: use the data folder it was first started with, or restore its keyring.',
  });
}
