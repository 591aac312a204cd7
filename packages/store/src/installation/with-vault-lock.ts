import { AppError } from '@tidegate/core';
import type { Sql } from '../database/connect.ts';
import { classifyStoreError, isConnectionLost, toStoreError } from '../database/store-error.ts';

/** Any two commands that change keys must meet on the same number. */
const LOCK = 7_413_005;

/**
 * Runs `work` while no other command changes keys. The lock is that of a transaction which does nothing else, so it ends
 * with the process. Needs a pool of at least two connections.
 * @throws AppError `vault_busy` when another command has it; of `toStoreError`; or what `work` threw
 */
export async function withVaultLock<T>(sql: Sql, work: () => Promise<T>): Promise<T> {
  let lost = false;
  const locked = sql.begin(async (tx) => {
    await tx`set local idle_in_transaction_session_timeout = 0`;
    const [lock] = await tx<{ taken: boolean }[]>`select pg_try_advisory_xact_lock(${LOCK}) as taken`;
    if (lock?.taken !== true) throw vaultBusy();
    const [done] = await Promise.allSettled([work()]);
    // Nothing may be sent over a connection that is gone, not even the end of the transaction; see `inTransaction`.
    if (lost || (done.status === 'rejected' && isConnectionLost(done.reason))) return new Promise<never>(() => {});
    if (done.status === 'rejected') throw done.reason;
    return done.value;
  });
  try {
    return (await locked) as T;
  } catch (error) {
    lost = true;
    throw classifyStoreError(error) === 'other' ? error : toStoreError(error);
  }
}

function vaultBusy(): AppError {
  return new AppError({
    code: 'vault_busy',
    publicMessage: 'Another `tidegate vault` command is changing keys on this database; wait for it to end.',
  });
}
