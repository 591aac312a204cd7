import { describeEvent, type JoinReason } from '@tidegate/core';
import type { Transaction } from '../database/connect.ts';

/**
 * Ends incidents by merging them into another, which takes over their subjects and services (I11). Their own timelines say
 * why; one statement each, however many there are.
 */
export async function absorbIncidents(
  tx: Transaction,
  into: string,
  merge: readonly { readonly incident: string; readonly why: JoinReason }[],
): Promise<void> {
  if (merge.length === 0) return;
  const ids = merge.map(({ incident }) => incident);
  const told = merge.map(({ why }) => describeEvent({ event: 'incident.merged', into, why }));
  await tx`update incident set state = 'resolved', resolved_at = clock_timestamp(), merged_into = ${into} where id = any(${ids}::text[])`;
  await tx`insert into incident_subject (incident_id, subject_id, why, joined_at)
           select distinct on (subject_id) ${into}, subject_id, why, joined_at from incident_subject where incident_id = any(${ids}::text[])
           order by subject_id, joined_at on conflict do nothing`;
  await tx`insert into incident_service (incident_id, service_id)
           select distinct ${into}, service_id from incident_service where incident_id = any(${ids}::text[]) on conflict do nothing`;
  await tx`insert into timeline_entry (incident_id, at, event, why)
           select i.id, clock_timestamp(), 'incident.merged', i.why from unnest(${ids}::text[], ${told}::text[]) with ordinality as i(id, why, ordinal)
           order by i.ordinal`;
}
