import { AppError } from '@tidegate/core';
import type { Sql } from '../database/connect.ts';
import { toStoreError } from '../database/store-error.ts';

/** A beat that takes longer to arrive tells of a time that is over: what came since may be in the spool. */
const LATE_MS = 2000;

/**
 * Says that a receiver lives and holds back no delivery: registers it the first time, and again when it was retired
 * meanwhile. To be called each second, and only while its spool is empty. First asks Postgres for the time, so that a beat
 * which was long on its way counts for nothing when it arrives.
 * @throws AppError as the store does; also when the beat was late and did not count
 */
export async function beatReceiver(sql: Sql, id: string): Promise<void> {
  try {
    const startedAtMs = performance.now();
    const [clock] = await sql<{ now: Date }[]>`select clock_timestamp() as now`;
    if (clock === undefined || performance.now() - startedAtMs > LATE_MS) throw tooLate();
    const inTime = sql`clock_timestamp() < ${clock.now}::timestamptz + make_interval(secs => ${LATE_MS} / 1000.0)`;
    const { count } = await sql`
      insert into receiver (id, started_at, heartbeat_at) select ${id}, clock_timestamp(), clock_timestamp() where ${inTime}
      on conflict (id) do update set heartbeat_at = clock_timestamp(), retired_at = null, retired_by = null where ${inTime}`;
    if (count === 0) throw tooLate();
  } catch (error) {
    throw toStoreError(error);
  }
}

function tooLate(): AppError {
  return new AppError({
    code: 'store_unavailable',
    publicMessage: 'The database answered too late.',
    detail: 'late_beat',
    retryable: true,
  });
}
