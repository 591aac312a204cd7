import type { IncidentKind, SubjectRef, Verdict } from '@tidegate/core';
import type { Transaction } from '../database/connect.ts';
import type { VerificationResult, VerificationTiming } from '../verification/verification-result.ts';
import { addTimeline } from './add-timeline.ts';

/**
 * Opens an incident for a service whose gate has been held by failing verifications for `openAfter` although no
 * Disconnected explains it: the same debounce as for webhooks, and the page that a lost webhook would have sent.
 * An incident already open for the group gets the service instead.
 * @returns the new incident's id, or null when it is too early, is being correlated, or one is open already
 */
export async function openFromVerification(
  tx: Transaction,
  result: VerificationResult,
  timing: VerificationTiming,
): Promise<string | null> {
  const { run, verdict } = result;
  const [place] = await tx<
    { groupId: number | null; group: SubjectRef; lasting: boolean; correlating: boolean; down: boolean }[]
  >`
    select coalesce(s.device_id, s.tunnel_id) as group_id,
      (select json_build_object('alias', x.alias, 'type', x.type, 'name', x.name) from subject x
        where x.id = coalesce(s.device_id, s.tunnel_id)) as group,
      g.since + make_interval(secs => ${timing.openAfterMs} / 1000.0) <= clock_timestamp() as lasting,
      exists (select 1 from pending p where p.group_id in (s.device_id, s.tunnel_id)) as correlating,
      exists (select 1 from connectivity c where c.subject_id in (s.device_id, s.tunnel_id)
               and ((c.disconnected and c.observation_key is distinct from c.cleared_key) or c.suspect_disconnected)) as down
    from service s join gate g on g.service_id = s.id where s.id = ${run.serviceId}`;
  if (place === undefined || place.groupId === null || !place.lasting || place.correlating || place.down) return null;
  const summary = `${run.service}: ${result.runbook}`;
  const [incident] = await tx<{ id: string }[]>`
    insert into incident (id, kind, group_id, opened_at, summary, first_broken)
    values (${timing.incidentId}, ${kindOf(verdict)}, ${place.groupId}, clock_timestamp(), ${summary}, ${result.firstBroken})
    on conflict (group_id) where state <> 'resolved' do nothing returning id`;
  if (incident === undefined) {
    await tx`insert into incident_service (incident_id, service_id)
             select i.id, ${run.serviceId} from incident i where i.group_id = ${place.groupId} and i.state <> 'resolved' on conflict do nothing`;
    return null;
  }
  await tx`insert into incident_service (incident_id, service_id) values (${incident.id}, ${run.serviceId})`;
  await tx`insert into incident_subject (incident_id, subject_id, why, joined_at)
           select ${incident.id}, d.subject_id, ${`${run.service} depends on it`}, clock_timestamp() from dependency d
           where d.service_id = ${run.serviceId} order by d.subject_id`;
  await addTimeline(
    tx,
    incident.id,
    { event: 'incident.opened', kind: kindOf(verdict), group: place.group },
    { event: 'verification.failed', service: run.service, verdict, firstBroken: result.firstBroken },
  );
  return incident.id;
}

function kindOf(verdict: Verdict): IncidentKind {
  if (verdict === 'device_offline') return 'device';
  return verdict === 'tunnel_stopped' ? 'tunnel' : 'application';
}
