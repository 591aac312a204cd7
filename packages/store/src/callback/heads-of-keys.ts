import type { PendingQuery, Row } from 'postgres';
import type { Sql, Transaction } from '../database/connect.ts';

export interface KeysLooked {
  /** SQL for the service's row id. */
  readonly service: PendingQuery<Row[]>;
  /** Where among the hashes of its ordering keys to begin; it goes round. */
  readonly start: Buffer;
  /** How many keys to look at. */
  readonly most: number;
}

/**
 * SQL for a lateral: for each ordering key of a service the one callback that all others of it wait for, and the key's place
 * in the look round; a row of nulls for a key without. What its own deadline has passed by is not waited for, unless its
 * attempt is under way, nor what waits for a person without one. One step of an index for each key, not one for each callback
 * that waits.
 */
export function headsOfKeys(sql: Sql | Transaction, { service, start, most }: KeysLooked) {
  return sql`(
    with recursive step as (
      select ${start}::bytea as hash, 0 as round, 0 as place
      union all
      select next.hash, next.round, step.place + 1 from step cross join lateral (
        (select c.ordering_hash as hash, step.round from callback c
         where c.service_id = ${service} and c.ordering_hash > step.hash and c.finished_at is null
           and (step.round = 0 or c.ordering_hash <= ${start}::bytea)
         order by c.ordering_hash limit 1)
        union all
        (select c.ordering_hash, 1 from callback c
         where step.round = 0 and c.service_id = ${service} and c.ordering_hash <= ${start}::bytea and c.finished_at is null
         order by c.ordering_hash limit 1)
        -- The first that there is, so that none but the last goes round.
        limit 1
      ) next where step.place < ${most}::int
    )
    select head.*, step.place from step left join lateral (
      select c.* from callback c
      where c.service_id = ${service} and c.ordering_hash = step.hash and c.finished_at is null
        and (c.deadline_at > clock_timestamp() or c.state = 'sending' or (c.deadline_at is null and c.state <> 'needs_review'))
      order by c.created_at, c.id limit 1
    ) head on true
    where step.place > 0)`;
}

/** SQL for callback `c`: of its ordering key one is under way, wherever that stands in it. Found once for a whole statement. */
export function isKeyUnderWay(sql: Sql | Transaction) {
  return sql`((c.service_id, c.ordering_hash) in (
    select s.service_id, s.ordering_hash from callback s where s.state = 'sending' and s.ordering_hash is not null))`;
}
