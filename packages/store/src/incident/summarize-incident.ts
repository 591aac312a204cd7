import type { GroupDecision, SubjectRef } from '@tidegate/core';
import type { Transaction } from '../database/connect.ts';

const MOST_NAMES = 3;

/** What an incident that no service has part in waits for, when API v2 cannot be asked. */
const BY_HAND = 'Without a Localtonet API key it cannot be verified: set localtonet.apiKey, or resolve it by hand.';

/** Writes the one sentence a list shows: what is wrong, what hangs on it, what is held. */
export async function summarizeIncident(
  tx: Transaction,
  incidentId: string,
  {
    decision,
    group,
    polls,
  }: { decision: Extract<GroupDecision, { kind: unknown }>; group: SubjectRef; polls: boolean },
): Promise<void> {
  const { services, tunnels } = await countParts(tx, incidentId);
  const what = `${group.type === 'device' ? 'Device' : 'Tunnel'} ${group.name ?? group.alias}`;
  const withIt = group.type === 'device' && tunnels > 0 ? `, ${tunnels} of its tunnels with it` : '';
  await saveSummary(tx, incidentId, `${what} ${stateOf(decision)}${withIt}`, services, polls);
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

function stateOf({ kind, ...decision }: Extract<GroupDecision, { kind: unknown }>): string {
  if (kind === 'flapping') return 'is flapping';
  return decision.reason === 'flapping_settled' ? 'has settled after flapping' : 'is disconnected';
}

async function countParts(tx: Transaction, incidentId: string) {
  const [row] = await tx<{ services: string[]; devices: number; tunnels: number }[]>`
    select (select coalesce(array_agg(s.name order by s.name), '{}') from incident_service x join service s on s.id = x.service_id
             where x.incident_id = ${incidentId}) as services,
      count(*) filter (where s.type = 'device')::int as devices, count(*) filter (where s.type = 'tunnel')::int as tunnels
    from incident_subject x join subject s on s.id = x.subject_id where x.incident_id = ${incidentId}`;
  return row ?? { services: [], devices: 0, tunnels: 0 };
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
