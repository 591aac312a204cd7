import type { IncidentKind, SubjectRef, TimelineEvent, Verdict } from '@tidegate/core';
import type { Transaction } from '../database/connect.ts';
import { isOverridden } from '../incident-action/list-overridden.ts';
import type { VerificationResult, VerificationTiming } from '../verification/verification-result.ts';
import { addTimeline } from './add-timeline.ts';
import { isMassBeginning } from './is-mass-beginning.ts';
import { joinService } from './join-services.ts';
import { standInSubject } from './stand-in-subject.ts';

/**
 * Opens an incident for a service whose gate has been held beyond the policy's patience by verifications that do not pass,
 * although none is open and no Disconnected waits to be correlated: the same debounce as for webhooks, and the page that a
 * lost webhook would have sent. That something counts as down is no excuse: what is not pending is told by nobody else. The
 * service joins an incident of its group that is open, one of a device that may be its own, or a mass outage that its device
 * belongs to, and waits for one that is about to be told, `mass.window` longer at most; one that ended within `reopenWithin`
 * is reopened.
 * @returns the id of the incident that opened or reopened, or null when it is too early, is being correlated, or one is open
 */
export async function openFromVerification(
  tx: Transaction,
  result: VerificationResult,
  timing: VerificationTiming,
): Promise<string | null> {
  const { run } = result;
  const place = await readPlace(tx, run.serviceId, timing);
  if (place === undefined || !place.lasting || place.correlating || place.told || place.overridden) return null;
  if (kindOf(result.verdict) !== 'application') {
    if (place.mass !== null) {
      await joinIncident(tx, place.mass, run);
      await addTimeline(tx, place.mass, failed(result));
      return null;
    }
    // Its own report is on its way among many: it would be a page beside the one of them all. Others that flap are many for ever.
    if (place.recent && (await isMassBeginning(tx, run.serviceId, timing.mass ?? null))) return null;
  }
  if (place.group === null && (await joinPossible(tx, run.serviceId))) return null;
  const group = place.group ?? (await standInSubject(tx, run.serviceId));
  if (await joinOpen(tx, group.id, run.serviceId)) return null;
  return (await reopen(tx, result, group, timing)) ?? (await open(tx, result, group, timing));
}

interface Place {
  group: (SubjectRef & { id: number }) | null;
  lasting: boolean;
  /** What was lost within a window of it may not be told yet. */
  recent: boolean;
  correlating: boolean;
  /** An open incident, of whatever group, names this service already; a mass outage, while its gate is shut since then. */
  told: boolean;
  /** A person ended an incident of this service, and their word still counts. */
  overridden: boolean;
  /** The open mass outage of its source group, if the gate was shut when that went on. */
  mass: string | null;
}

async function readPlace(tx: Transaction, serviceId: number, timing: VerificationTiming): Promise<Place | undefined> {
  const [place] = await tx<Place[]>`
    select
      (select json_build_object('id', x.id, 'alias', x.alias, 'type', x.type, 'name', x.name) from subject x
        where x.id = coalesce(s.device_id, s.tunnel_id)) as group,
      g.since + make_interval(secs => ${timing.patienceMs} / 1000.0) <= clock_timestamp() and s.retired_at is null as lasting,
      g.since + make_interval(secs => ${togetherMs(timing)} / 1000.0) > clock_timestamp() as recent,
      exists (select 1 from pending p where p.group_id in (s.device_id, s.tunnel_id)) as correlating,
      exists (select 1 from incident_service x join incident i on i.id = x.incident_id
               where x.service_id = s.id and i.state <> 'resolved' and (i.mass_group is null or ${isOfMass(tx, timing)})) as told,
      exists (select 1 from incident i join incident_service x on x.incident_id = i.id where x.service_id = s.id and ${isOverridden(tx)}) as overridden,
      (select i.id from incident i where i.mass_group = s.group_name and i.state <> 'resolved' and ${isOfMass(tx, timing)}) as mass
    from service s join gate g on g.service_id = s.id where s.id = ${serviceId}`;
  return place;
}

/** A gate that was shut before the mass outage had all its members, as far as a lost webhook can be told from a later one. */
function isOfMass(tx: Transaction, timing: VerificationTiming) {
  return tx`g.since <= make_interval(secs => ${togetherMs(timing)} / 1000.0) + (
    select max(t.at) from timeline_entry t where t.incident_id = i.id and t.event in ('mass.started', 'mass.joined'))`;
}

/** What was lost with a gate's subjects was so within a window, and is told after a debounce. */
function togetherMs({ mass, patienceMs }: VerificationTiming): number {
  return (mass?.windowMs ?? 0) + patienceMs;
}

/** Joins the incident that is open for its group, such as one from before the service was added. */
async function joinOpen(tx: Transaction, groupId: number, serviceId: number): Promise<boolean> {
  const [open] = await tx<{ id: string }[]>`
    select i.id from incident i where i.group_id = ${groupId} and i.state <> 'resolved' for no key update`;
  if (open !== undefined) await joinService(tx, open.id, serviceId);
  return open !== undefined;
}

/** A service without a device belongs to the outage of one that may be its own, instead of standing beside it. */
async function joinPossible(tx: Transaction, serviceId: number): Promise<boolean> {
  const [open] = await tx<{ id: string }[]>`
    select i.id from incident i where i.state <> 'resolved' and i.id in (
      select x.incident_id from service v
      join subject d on d.group_name = v.group_name and d.type = 'device'
      join incident_subject x on x.subject_id = d.id join subject_told t on t.subject_id = d.id and t.down
      where v.id = ${serviceId} and v.id in (select o.service_id from services_open_to(d.group_name, d.linked_at is not null) o))
    order by i.opened_at limit 1 for no key update`;
  if (open !== undefined) await joinService(tx, open.id, serviceId);
  return open !== undefined;
}

async function reopen(
  tx: Transaction,
  result: VerificationResult,
  group: SubjectRef & { id: number },
  timing: VerificationTiming,
): Promise<string | null> {
  const kind = kindOf(result.verdict);
  const [incident] = await tx<{ id: string }[]>`
    update incident set state = 'open', kind = ${kind}, resolved_at = null, resolved_by = null, acknowledged_at = null, acknowledged_by = null,
      override_actor = null, override_reason = null, override_expires_at = null, reopened = reopened + 1, passes = 0, passed_at = null, first_broken = ${result.firstBroken}, summary = ${summaryOf(result)}
    where id = (select id from incident where group_id = ${group.id} and state = 'resolved' and merged_into is null
                  and resolved_at > clock_timestamp() - make_interval(secs => ${timing.reopenWithinMs} / 1000.0)
                order by resolved_at desc limit 1)
    returning id`;
  if (incident !== undefined) await attach(tx, incident.id, result, { event: 'incident.reopened', kind, group });
  return incident?.id ?? null;
}

async function open(
  tx: Transaction,
  result: VerificationResult,
  group: SubjectRef & { id: number },
  timing: VerificationTiming,
): Promise<string | null> {
  const kind = kindOf(result.verdict);
  const [incident] = await tx<{ id: string }[]>`
    insert into incident (id, kind, group_id, opened_at, summary, first_broken)
    values (${timing.incidentId}, ${kind}, ${group.id}, clock_timestamp(), ${summaryOf(result)}, ${result.firstBroken})
    on conflict (group_id) where state <> 'resolved' do nothing returning id`;
  if (incident !== undefined) await attach(tx, incident.id, result, { event: 'incident.opened', kind, group });
  return incident?.id ?? null;
}

async function attach(
  tx: Transaction,
  incidentId: string,
  result: VerificationResult,
  beginning: { event: 'incident.opened' | 'incident.reopened'; kind: IncidentKind; group: SubjectRef },
): Promise<void> {
  await joinIncident(tx, incidentId, result.run);
  await addTimeline(tx, incidentId, beginning, failed(result));
}

function failed({ run, verdict, firstBroken }: VerificationResult): TimelineEvent {
  return { event: 'verification.failed', service: run.service, verdict, firstBroken };
}

function summaryOf({ run, runbook }: VerificationResult): string {
  return `${run.service}: ${runbook}`;
}

async function joinIncident(tx: Transaction, incidentId: string, run: VerificationResult['run']): Promise<void> {
  await tx`insert into incident_service (incident_id, service_id) values (${incidentId}, ${run.serviceId}) on conflict do nothing`;
  await tx`insert into incident_subject (incident_id, subject_id, why, joined_at)
           select ${incidentId}, d.subject_id, ${`${run.service} depends on it`}, clock_timestamp() from dependency d
           where d.service_id = ${run.serviceId} order by d.subject_id on conflict do nothing`;
}

function kindOf(verdict: Verdict): IncidentKind {
  if (verdict === 'device_offline') return 'device';
  return verdict === 'tunnel_stopped' ? 'tunnel' : 'application';
}
