import type { Transaction } from '../database/connect.ts';
import type { ClaimedVerification } from '../verification/claim-verifications.ts';
import { addTimeline } from './add-timeline.ts';

/**
 * Ends the incidents of a service whose gate just opened, each with the verification as its evidence (I11), once the gates
 * of all its services are open. The incident is locked before the other gates are read: of two gates that open at the
 * same time, the later transaction sees the earlier one.
 * @param opened whether this run opened the gate, rather than finding it open still
 * @returns ids of the incidents that ended
 */
export async function resolveVerified(tx: Transaction, run: ClaimedVerification, opened: boolean): Promise<string[]> {
  const open = await tx<{ id: string }[]>`
    select i.id from incident i where i.state <> 'resolved'
      and i.id in (select incident_id from incident_service where service_id = ${run.serviceId})
    order by i.id for no key update`;
  const resolved: string[] = [];
  for (const { id } of open) {
    const [waiting] = await tx<{ count: number; missing: boolean }[]>`
      select (select count(*)::int from incident_service x join gate g on g.service_id = x.service_id
               join service s on s.id = x.service_id and s.retired_at is null
               where x.incident_id = ${id} and g.state not in ('open', 'releasing')) as count,
             (select coalesce(bool_or(c.disconnected), false) from incident_subject s join connectivity c on c.subject_id = s.subject_id
               where s.incident_id = ${id} and c.observation_key = c.cleared_key) as missing`;
    if (opened) await addTimeline(tx, id, { event: 'gate.opened', service: run.service });
    if ((waiting?.count ?? 1) > 0) continue;
    await tx`update incident set state = 'resolved', resolved_at = clock_timestamp(), resolved_by = ${run.id} where id = ${id}`;
    await addTimeline(tx, id, { event: 'incident.resolved', webhookMissing: waiting?.missing ?? false });
    resolved.push(id);
  }
  return resolved;
}
