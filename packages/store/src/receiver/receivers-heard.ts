import type { Sql, Transaction } from '../database/connect.ts';

/**
 * SQL: when the first of the registered receivers would count as silent; null when none is registered. It refers to nothing
 * outside itself, so a statement evaluates it once however many rows it answers, and under the same snapshot as those. A beat
 * from before the server was started vouches for nothing: what came while it was down may be in a spool.
 */
export function receiversHeardUntil(sql: Sql | Transaction, silentAfterMs: number) {
  return sql`(
    select min(heartbeat_at) + case when min(heartbeat_at) > pg_postmaster_start_time()
      then make_interval(secs => ${silentAfterMs} / 1000.0) else interval '0' end
    from receiver where retired_at is null)`;
}

/**
 * SQL: whether no registered receiver is silent, by Postgres' clock: for the opening compare-and-set and the start of a send.
 * A gate answer rests on the same moment, which it tells as well (DESIGN §4). A receiver that is away may hold a Disconnected
 * nobody else knows of.
 */
export function receiversHeard(sql: Sql | Transaction, silentAfterMs: number) {
  return sql`coalesce(${receiversHeardUntil(sql, silentAfterMs)} > clock_timestamp(), true)`;
}
