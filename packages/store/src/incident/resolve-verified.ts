import type { TimelineEvent } from '@tidegate/core';
import type { Transaction } from '../database/connect.ts';
import type { ClaimedVerification } from '../verification/claim-verifications.ts';
import { addTimeline } from './add-timeline.ts';
import { countWaiting, type EndingRun, endWithStragglers } from './regroup.ts';
import { summarizeEnded } from './summarize-incident.ts';
import { isWebhookMissing } from './webhook-missing.ts';

/**
 * Ends the incidents of a service whose gate stands open on evidence, each with the verification as that evidence (I11),
 * once the gates of all its services do. The incident is locked before the other gates are read: of two gates that open at
 * the same time, the later transaction sees the earlier one. One that flaps ends after it has settled only.
 * @returns ids of the incidents that ended
 */
export async function resolveVerified(tx: Transaction, run: ClaimedVerification, ending: EndingRun): Promise<string[]> {
  const apart = await endWithStragglers(tx, run.serviceId, ending);
  const open = await tx<{ id: string; kind: string }[]>`
    select i.id, i.kind from incident i where i.state <> 'resolved' and i.kind <> 'flapping'
      and i.id in (select incident_id from incident_service where service_id = ${run.serviceId})
    order by i.id for no key update`;
  const resolved: string[] = [];
  for (const { id, kind } of open) {
    if (ending.opened) await addTimeline(tx, id, { event: 'gate.opened', service: run.service });
    const ends = kind === 'mass' ? apart.has(id) : (await countWaiting(tx, id)) === 0;
    if (!ends) continue;
    await resolve(tx, id, run.id, apart.get(id) ?? 0);
    resolved.push(id);
  }
  return resolved;
}

async function resolve(tx: Transaction, id: string, verification: string, regrouped: number): Promise<void> {
  const webhookMissing = await isWebhookMissing(tx, id);
  await tx`update incident set state = 'resolved', resolved_at = clock_timestamp(), resolved_by = ${verification} where id = ${id}`;
  const events: TimelineEvent[] = [{ event: 'incident.resolved', webhookMissing }];
  if (regrouped > 0) events.unshift({ event: 'mass.regrouped', groups: regrouped });
  await addTimeline(tx, id, ...events);
  await summarizeEnded(tx, id);
}
