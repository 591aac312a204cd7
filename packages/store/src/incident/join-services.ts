import type { Transaction } from '../database/connect.ts';
import { addTimeline } from './add-timeline.ts';
import { describeServices } from './describe-services.ts';
import { summarizeAgain } from './summarize-incident.ts';

/**
 * Puts services into open incidents that tell of a device or tunnel they have come to depend on, and that is down: their
 * gates stay shut for it, so on-call finds them there. The caller has locked the gates.
 */
export async function joinServices(tx: Transaction, serviceIds: readonly number[]): Promise<void> {
  if (serviceIds.length === 0) return;
  const open = await tx<{ id: string }[]>`
    select i.id from incident i where i.state <> 'resolved' and i.id in (
      select x.incident_id from dependency d join incident_subject x on x.subject_id = d.subject_id
      join subject_told t on t.subject_id = d.subject_id
      where d.service_id = any(${[...serviceIds]}::int[]) and t.down)
    order by i.id for no key update`;
  const joined = await tx<{ incidentId: string; serviceId: number }[]>`
    insert into incident_service (incident_id, service_id)
    select distinct x.incident_id, d.service_id from dependency d join incident_subject x on x.subject_id = d.subject_id
    join subject_told t on t.subject_id = d.subject_id
    where d.service_id = any(${[...serviceIds]}::int[]) and t.down and x.incident_id = any(${open.map(({ id }) => id)}::text[])
    order by 1, 2 on conflict do nothing returning incident_id, service_id`;
  for (const { id } of open) {
    await noteServices(
      tx,
      id,
      joined.flatMap(({ incidentId, serviceId }) => (incidentId === id ? [serviceId] : [])),
    );
  }
}

/** The same for one service and one incident, which the caller has locked. */
export async function joinService(tx: Transaction, incidentId: string, serviceId: number): Promise<void> {
  const joined = await tx`
    insert into incident_service (incident_id, service_id) values (${incidentId}, ${serviceId}) on conflict do nothing`;
  if (joined.count > 0) await noteServices(tx, incidentId, [serviceId]);
}

async function noteServices(tx: Transaction, incidentId: string, serviceIds: readonly number[]): Promise<void> {
  if (serviceIds.length === 0) return;
  await addTimeline(tx, incidentId, ...(await describeServices(tx, incidentId, serviceIds)));
  await summarizeAgain(tx, incidentId);
}
