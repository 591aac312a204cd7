import type { Sql, Transaction } from '../database/connect.ts';

/** SQL for attempt `a`: it may have had an effect at its destination, and no status lookup has disproved that. */
function unknown(sql: Sql | Transaction) {
  return sql`(a.disproved_at is null and (a.phase = 'maybe_received' or (a.phase = 'answered' and (a.status < 200 or a.status >= 500))))`;
}

/** SQL for callback `c`: some attempt of it may have had an effect, whatever came after. */
export function maybeReceived(sql: Sql | Transaction) {
  return sql`exists (select 1 from attempt a where a.callback_id = c.id and ${unknown(sql)})`;
}

/** SQL for callback `c`: a person approved one more attempt of exactly this payload, and it is not used or over. */
export function approved(sql: Sql | Transaction) {
  return sql`exists (select 1 from review r where r.callback_id = c.id and r.decision = 'approve' and r.used_at is null
    and r.expires_at > clock_timestamp() and r.payload_hash = c.payload_hash)`;
}

/**
 * SQL for callback `c`: a repeat cannot do harm, by its contract, because nothing was received, or because a person said so;
 * what a person let out is let out by the person alone. Asked in the statement that marks it `sending` (I7).
 */
export function harmless(sql: Sql | Transaction) {
  return sql`((not c.by_approval and (c.repeat = 'deduplicated' or c.attempts = 0 or not ${maybeReceived(sql)})) or ${approved(sql)})`;
}

/** SQL for callback `c`: what its attempts leave open, as `EVIDENCE` names it. */
export function evidence(sql: Sql | Transaction) {
  return sql`case when c.attempts = 0 then 'none' else (
    select case
      when bool_or(${unknown(sql)}) and ${approved(sql)} then 'approved'
      when bool_or(${unknown(sql)} and (a.phase = 'maybe_received' or a.status < 200)) then 'unknown'
      when bool_or(${unknown(sql)}) then 'server_error'
      when bool_or(a.phase = 'answered') then 'refused'
      else 'not_sent' end
    from attempt a where a.callback_id = c.id) end`;
}
