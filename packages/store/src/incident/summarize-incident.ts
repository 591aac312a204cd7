import {
  type FlapWorst,
  type GroupDecision,
  type IncidentKind,
  LAYER_WORDS,
  type Layer,
  type SubjectRef,
} from '@tidegate/core';
import type { Transaction } from '../database/connect.ts';

const MOST_NAMES = 3;

/** What an incident that no service has part in waits for, when API v2 cannot be asked. */
const BY_HAND = 'Without a Localtonet API key it cannot be verified: set localtonet.apiKey, or resolve it by hand.';

/** What the incident is now, and what made it so. */
interface SummaryState {
  readonly kind: IncidentKind;
  readonly reason?: GroupDecision['reason'];
}

/** Writes the one sentence a list shows: what is wrong, what hangs on it, what is held. */
export async function summarizeIncident(
  tx: Transaction,
  incidentId: string,
  { decision, group, polls }: { decision: SummaryState; group: SubjectRef; polls: boolean },
): Promise<void> {
  const parts = { ...(await countParts(tx, incidentId)), tunnel: await firstTunnel(tx, incidentId) };
  await saveSummary(tx, incidentId, ofGroup(group, decision, parts), { services: parts.services, polls });
}

/** The same for a mass outage. */
export async function summarizeMass(
  tx: Transaction,
  incidentId: string,
  { sourceGroup, polls }: { sourceGroup: string; polls: boolean },
): Promise<void> {
  const parts = await countMass(tx, incidentId, sourceGroup);
  await saveSummary(tx, incidentId, ofMass(sourceGroup, parts), { services: parts.services, polls });
}

/** Once services have joined an open incident. One that a failed application opened keeps the sentence that says what to do. */
export async function summarizeAgain(tx: Transaction, incidentId: string): Promise<void> {
  const incident = await readNamed(tx, incidentId);
  if (incident === undefined || incident.kind === 'application') return;
  const { kind, massGroup, group } = incident;
  if (massGroup !== null) return summarizeMass(tx, incidentId, { sourceGroup: massGroup, polls: true });
  return summarizeIncident(tx, incidentId, { decision: { kind }, group, polls: true });
}

/** Once it has ended: what it was, in the past tense, so that no list tells of it as if it went on. */
export async function summarizeEnded(tx: Transaction, incidentId: string): Promise<void> {
  const incident = await readNamed(tx, incidentId);
  if (incident === undefined) return;
  if (incident.massGroup !== null) {
    const parts = await countMass(tx, incidentId, incident.massGroup);
    await saveSummary(tx, incidentId, ofMass(incident.massGroup, parts), { services: parts.services, ended: true });
    return;
  }
  const parts = await countParts(tx, incidentId);
  const what =
    incident.kind === 'application'
      ? ofApplication(incident.firstBroken, parts)
      : ofGroup(
          incident.group,
          { kind: incident.flapped ? 'flapping' : incident.kind },
          { ...parts, tunnel: await firstTunnel(tx, incidentId), ended: true },
        );
  await saveSummary(tx, incidentId, what, { services: parts.services, ended: true });
}

interface NamedIncident {
  readonly kind: IncidentKind;
  readonly massGroup: string | null;
  readonly group: SubjectRef;
  readonly firstBroken: Layer | null;
  /** What ended, began as an unstable connection. */
  readonly flapped: boolean;
}

async function readNamed(tx: Transaction, incidentId: string): Promise<NamedIncident | undefined> {
  const [incident] = await tx<NamedIncident[]>`
    select i.kind, i.mass_group, i.first_broken, json_build_object('alias', g.alias, 'type', g.type, 'name', g.name) as group,
      coalesce((select t.event <> 'incident.reopened' from timeline_entry t
        where t.incident_id = i.id and t.event in ('incident.reopened', 'flapping.settled') order by t.id desc limit 1), false) as flapped
    from incident i left join subject g on g.id = i.group_id where i.id = ${incidentId}`;
  return incident;
}

interface MassParts {
  readonly services: readonly string[];
  readonly devices: number;
  readonly tunnels: number;
}

interface Parts extends MassParts {
  readonly flapChanges: number;
  readonly flapWorst: FlapWorst | null;
}

interface GroupParts extends Parts {
  /** The first tunnel of it, by its name or else its alias. */
  readonly tunnel: string | null;
  readonly ended?: boolean;
}

function ofMass(sourceGroup: string, { devices, tunnels }: MassParts): string {
  const withThem = tunnels > 0 ? `, ${count(tunnels, 'tunnel')} with them` : '';
  return `Outage of ${count(devices, 'device')} of ${sourceGroup} at once${withThem}`;
}

function ofApplication(firstBroken: Layer | null, { services }: Parts): string {
  const where =
    firstBroken === null ? 'did not pass its verification' : `failed at the ${LAYER_WORDS[firstBroken]} layer`;
  return `${listNames(services)} ${where}`;
}

/** Of a device that is up itself it is told which of its tunnels are not. */
function ofGroup(group: SubjectRef, { kind, reason }: SummaryState, parts: GroupParts): string {
  const { tunnels, tunnel, ended = false } = parts;
  const name = group.name ?? group.alias;
  const several = kind === 'tunnel' && group.type === 'device' && tunnels > 1;
  const is = ended ? (several ? 'were' : 'was') : several ? 'are' : 'is';
  const settled = `${several ? 'have' : 'has'} settled after flapping`;
  const state = reason === 'flapping_settled' ? settled : `${is} disconnected`;
  if (kind === 'tunnel' && group.type === 'device' && tunnel !== null) {
    return several ? `${tunnels} tunnels of device ${name} ${state}` : `Tunnel ${tunnel} of device ${name} ${state}`;
  }
  const what = `${group.type === 'device' ? 'Device' : 'Tunnel'} ${name}`;
  const withIt = group.type === 'device' && tunnels > 0 ? `, ${tunnels} of its tunnels with it` : '';
  return `${what} ${kind === 'flapping' ? `${is} flapping${tellFlapping(parts, ended)}` : state}${withIt}`;
}

function tellFlapping({ flapChanges, flapWorst }: Parts, ended: boolean): string {
  if (flapChanges === 0) return '';
  const atWorst =
    flapWorst === null ? '' : `, at worst ${flapWorst === 'device' ? 'the device' : 'only a tunnel'} was disconnected`;
  return ` (${count(flapChanges, 'change')}${ended ? '' : ' so far'}${atWorst})`;
}

async function countParts(tx: Transaction, incidentId: string): Promise<Parts> {
  const [row] = await tx<Parts[]>`
    select (select coalesce(array_agg(s.name order by s.name), '{}') from incident_service x join service s on s.id = x.service_id
             where x.incident_id = ${incidentId}) as services,
      (select flap_changes from incident where id = ${incidentId}), (select flap_worst from incident where id = ${incidentId}),
      count(*) filter (where s.type = 'device')::int as devices, count(*) filter (where s.type = 'tunnel')::int as tunnels
    from incident_subject x join subject s on s.id = x.subject_id where x.incident_id = ${incidentId}`;
  return row ?? { services: [], devices: 0, tunnels: 0, flapChanges: 0, flapWorst: null };
}

/** Written again in each pass that adds to it: its devices are few and looked up, its tunnels are what is left. */
async function countMass(tx: Transaction, incidentId: string, sourceGroup: string): Promise<MassParts> {
  const [row] = await tx<{ services: string[]; devices: number; all: number }[]>`
    select (select coalesce(array_agg(s.name order by s.name), '{}') from incident_service x join service s on s.id = x.service_id
             where x.incident_id = ${incidentId}) as services,
      (select count(*)::int from subject s join incident_subject x on x.incident_id = ${incidentId} and x.subject_id = s.id
        where s.group_name = ${sourceGroup} and s.type = 'device') as devices,
      (select count(*)::int from incident_subject x where x.incident_id = ${incidentId}) as all`;
  const { services = [], devices = 0, all = 0 } = row ?? {};
  return { services, devices, tunnels: all - devices };
}

/** Not for a mass outage, whose summary names none of its many. */
async function firstTunnel(tx: Transaction, incidentId: string): Promise<string | null> {
  const [row] = await tx<{ tunnel: string | null }[]>`
    select min(coalesce(s.name, s.alias)) as tunnel
    from incident_subject x join subject s on s.id = x.subject_id where x.incident_id = ${incidentId} and s.type = 'tunnel'`;
  return row?.tunnel ?? null;
}

async function saveSummary(
  tx: Transaction,
  id: string,
  what: string,
  { services, polls = true, ended = false }: { services: readonly string[]; polls?: boolean; ended?: boolean },
): Promise<void> {
  const held = ended ? 'held meanwhile' : 'held';
  const depends = ended ? 'no service depended on it' : 'no service depends on it';
  const which = services.length > 0 ? `; ${held}: ${listNames(services)}.` : `; ${depends}.`;
  const then = services.length > 0 || polls ? '' : ` ${BY_HAND}`;
  await tx`update incident set summary = ${`${what}${which}${then}`} where id = ${id}`;
}

function listNames(names: readonly string[]): string {
  const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : '';
  return `${names.slice(0, MOST_NAMES).join(', ')}${more}`;
}

function count(n: number, noun: string): string {
  return `${n} ${n === 1 ? noun : `${noun}s`}`;
}
