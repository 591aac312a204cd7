import type { Transaction } from '../database/connect.ts';

/**
 * Whether a member `x` of an incident, the subject `s`, was back since it joined: a webhook or a poll said so, or a
 * verification of a service that depends on it passed. What it loses after that is another outage.
 */
export function wasBack(tx: Transaction) {
  return tx`(
    exists (select 1 from observation o where o.subject_id = s.id and o.status = 'connected' and o.first_received_at > x.joined_at)
    or coalesce(s.polled_status = 'connected' and s.polled_at > x.joined_at, false)
    or exists (select 1 from dependency d join verification v on v.service_id = d.service_id
                where d.subject_id = s.id and v.passed and v.started_at > x.joined_at))`;
}
