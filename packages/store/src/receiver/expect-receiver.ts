import type { Sql } from '../database/connect.ts';
import { toStoreError } from '../database/store-error.ts';

/**
 * Registers a receiver that is there and cannot vouch for anything yet, as silent: until its first beat every gate is held.
 * One that is waited for already stays as it is. To be called before what it kept is replayed, since a receiver that ended in
 * order is waited for no more, and may have been started again while the store was away.
 * @throws AppError as the store does
 */
export async function expectReceiver(sql: Sql, id: string, silentAfterMs: number): Promise<void> {
  const silent = sql`clock_timestamp() - make_interval(secs => ${silentAfterMs} / 1000.0)`;
  try {
    await sql`
      insert into receiver (id, started_at, heartbeat_at) values (${id}, clock_timestamp(), ${silent})
      on conflict (id) do update set retired_at = null, retired_by = null, heartbeat_at = ${silent}
      where receiver.retired_at is not null`;
  } catch (error) {
    throw toStoreError(error);
  }
}
