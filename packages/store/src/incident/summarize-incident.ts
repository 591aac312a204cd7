import type { FlapWorst, GroupDecision, IncidentKind, SubjectRef } from '@tidegate/core';
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
  await saveOfGroup(tx, incidentId, group, decision, polls);
}

/** The same for a mass outage. */
export async function summarizeMass(
  tx: Transaction,
  incidentId: string,
  { sourceGroup, polls }: { sourceGroup: string; polls: boolean },
): Promise<void> {
  const { services, devices, tunnels } = await countParts(tx, incidentId);
  const withThem = tunnels > 0 ? `, ${tunnels} tunnels with them` : '';
  const what = `Outage of ${devices} devices of ${sourceGroup} at once${withThem}`;
  await saveSummary(tx, incidentId, what, services, polls);
}

/** Once services have joined an open incident. One that a failed application opened keeps the sentence that says what to do. */
export async function summarizeAgain(tx: Transaction, incidentId: string): Promise<void> {
  const [incident] = await tx<{ kind: IncidentKind; massGroup: string | null; group: SubjectRef }[]>`
    select i.kind, i.mass_group, json_build_object('alias', g.alias, 'type', g.type, 'name', g.name) as group
    from incident i left join subject g on g.id = i.group_id where i.id = ${incidentId}`;
  if (incident === undefined || incident.kind === 'application') return;
  const { kind, massGroup, group } = incident;
  if (massGroup !== null) return summarizeMass(tx, incidentId, { sourceGroup: massGroup, polls: true });
  return saveOfGroup(tx, incidentId, group, { kind }, true);
}

async function saveOfGroup(tx: Transaction, id: string, group: SubjectRef, now: SummaryState, polls: boolean) {
  const { services, tunnels, flapChanges, flapWorst } = await countParts(tx, id);
  const state = now.kind === 'flapping' ? flapState(flapChanges, flapWorst) : stateOf(now);
  const what = `${group.type === 'device' ? 'Device' : 'Tunnel'} ${group.name ?? group.alias}`;
  const withIt = group.type === 'device' && tunnels > 0 ? `, ${tunnels} of its tunnels with it` : '';
  await saveSummary(tx, id, `${what} ${state}${withIt}`, services, polls);
}

function flapState(changes: number, worst: FlapWorst | null): string {
  if (changes === 0) return 'is flapping';
  const atWorst =
    worst === null ? '' : `, at worst ${worst === 'device' ? 'the device' : 'only a tunnel'} was disconnected`;
  return `is flapping (${changes} changes so far${atWorst})`;
}

function stateOf({ reason }: SummaryState): string {
  return reason === 'flapping_settled' ? 'has settled after flapping' : 'is disconnected';
}

async function countParts(tx: Transaction, incidentId: string) {
  const [row] = await tx<
    { services: string[]; devices: number; tunnels: number; flapChanges: number; flapWorst: FlapWorst | null }[]
  >`
    select (select coalesce(array_agg(s.name order by s.name), '{}') from incident_service x join service s on s.id = x.service_id
             where x.incident_id = ${incidentId}) as services,
      (select flap_changes from incident where id = ${incidentId}), (select flap_worst from incident where id = ${incidentId}),
      count(*) filter (where s.type = 'device')::int as devices, count(*) filter (where s.type = 'tunnel')::int as tunnels
    from incident_subject x join subject s on s.id = x.subject_id where x.incident_id = ${incidentId}`;
  return row ?? { services: [], devices: 0, tunnels: 0, flapChanges: 0, flapWorst: null };
}

async function saveSummary(
  tx: Transaction,
  id: string,
  what: string,
  services: string[],
  polls: boolean,
): Promise<void> {
  const shown = services.slice(0, MOST_NAMES).join(', ');
  const more = services.length > MOST_NAMES ? ` and ${services.length - MOST_NAMES} more` : '';
  const held = services.length > 0 ? `; held: ${shown}${more}.` : '; no service depends on it.';
  const then = services.length > 0 || polls ? '' : ` ${BY_HAND}`;
  await tx`update incident set summary = ${`${what}${held}${then}`} where id = ${id}`;
}
