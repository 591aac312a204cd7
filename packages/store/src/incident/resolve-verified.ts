import type { MassPolicy, TimelineEvent } from '@tidegate/core';
import type { Transaction } from '../database/connect.ts';
import type { ClaimedVerification } from '../verification/claim-verifications.ts';
import { addTimeline } from './add-timeline.ts';
import { countWaiting, type Debounce, endMasses } from './regroup.ts';

export interface Resolving extends Debounce {
  /** Whether this run opened the gate, or found it standing open. */
  readonly opened: boolean;
  readonly mass: MassPolicy | null;
}

/**
 * Ends the incidents of a service whose gate stands open on evidence, each with the verification as that evidence (I11),
 * once the gates of all its services do. The incident is locked before the other gates are read: of two gates that open at
 * the same time, the later transaction sees the earlier one. One that flaps ends after it has settled only.
 * @returns ids of the incidents that ended
 */
export async function resolveVerified(
  tx: Transaction,
  run: ClaimedVerification,
  resolving: Resolving,
): Promise<string[]> {
  const masses = await endMasses(tx, run.serviceId, resolving.mass, resolving);
  const open = await tx<{ id: string; kind: string }[]>`
    select i.id, i.kind from incident i where i.state <> 'resolved' and i.kind <> 'flapping'
      and i.id in (select incident_id from incident_service where service_id = ${run.serviceId})
    order by i.id for no key update`;
  const resolved: string[] = [];
  for (const { id, kind } of open) {
    if (resolving.opened) await addTimeline(tx, id, { event: 'gate.opened', service: run.service });
    const ends = kind === 'mass' ? masses.has(id) : (await countWaiting(tx, id)) === 0;
    if (!ends) continue;
    await resolve(tx, id, run.id, masses.get(id) ?? 0);
    resolved.push(id);
  }
  return resolved;
}

async function resolve(tx: Transaction, id: string, verification: string, regrouped: number): Promise<void> {
  const [row] = await tx<{ missing: boolean }[]>`
    select coalesce(bool_or(c.disconnected), false) as missing from incident_subject s join connectivity c on c.subject_id = s.subject_id
    where s.incident_id = ${id} and c.observation_key = c.cleared_key`;
  await tx`update incident set state = 'resolved', resolved_at = clock_timestamp(), resolved_by = ${verification} where id = ${id}`;
  const events: TimelineEvent[] = [{ event: 'incident.resolved', webhookMissing: row?.missing ?? false }];
  if (regrouped > 0) events.unshift({ event: 'mass.regrouped', groups: regrouped });
  await addTimeline(tx, id, ...events);
}
