import type { Sql } from '../database/connect.ts';
import { toStoreError } from '../database/store-error.ts';

/** A receiver that has ever beaten. */
export interface ReceiverRow {
  readonly id: string;
  /** When it was first registered. */
  readonly startedAt: Date;
  readonly heartbeatAt: Date;
  /** When it stopped being waited for, if it did. */
  readonly retiredAt: Date | null;
  /** `self` for a clean end, `worker` for one that was silent for too long, else a person. */
  readonly retiredBy: string | null;
  /** It is waited for and has not beaten for longer than `silentAfterMs`, or since the server was started: every gate is held. */
  readonly silent: boolean;
  /** Milliseconds since its last beat, by Postgres' clock. */
  readonly silentForMs: number;
}

/** Every receiver: those that are waited for first, the longest silent of them at the head. */
export async function listReceivers(sql: Sql, silentAfterMs: number): Promise<ReceiverRow[]> {
  try {
    return await sql<ReceiverRow[]>`
      select r.id, r.started_at, r.heartbeat_at, r.retired_at, r.retired_by,
        r.retired_at is null and (r.heartbeat_at <= pg_postmaster_start_time()
          or r.heartbeat_at + make_interval(secs => ${silentAfterMs} / 1000.0) <= clock_timestamp()) as silent,
        greatest(0, extract(epoch from clock_timestamp() - r.heartbeat_at) * 1000)::float8 as silent_for_ms
      from receiver r order by r.retired_at is not null, r.heartbeat_at, r.id`;
  } catch (error) {
    throw toStoreError(error);
  }
}
