import { isMass, type MassPolicy } from '@tidegate/core';
import type { Transaction } from '../database/connect.ts';

/** Any two transactions that may end a mass outage must meet on the same first number. */
const LOCK = 7_413_004;

export interface Debounce {
  /** Of groups that no service claims. */
  readonly openAfterMs: number;
  readonly maxWaitMs: number;
}

/**
 * Arms groups that were told as part of a mass outage, so that what is still down of them is told by itself. Nothing
 * disconnected anew, hence no disconnect is counted: what has come back meanwhile is no blip.
 * @returns how many
 */
export async function regroup(tx: Transaction, groupIds: readonly number[], debounce: Debounce): Promise<number> {
  if (groupIds.length === 0) return 0;
  const ids = [...groupIds];
  await tx`
    select arm_groups(${ids}::bigint[], ${ids.map(() => 1)}::int[], ${ids.map(() => 0)}::int[], ${debounce.openAfterMs}, ${debounce.maxWaitMs},
      clock_timestamp())`;
  return groupIds.length;
}

/**
 * Finds the mass outages of a service that end by its verification: the gates of all their services stand open on
 * evidence, and what is still down would not be a mass outage by itself. That is armed anew, before the incident is
 * locked. Of two gates that open at the same time, the later transaction waits for the earlier one and sees it.
 * @returns the ids of those that may end, each with how many groups are told apart from now on
 */
export async function endMasses(
  tx: Transaction,
  serviceId: number,
  mass: MassPolicy | null,
  debounce: Debounce,
): Promise<ReadonlyMap<string, number>> {
  const ending = new Map<string, number>();
  const open = await tx<{ id: string; massGroup: string }[]>`
    select i.id, i.mass_group from incident i join incident_service x on x.incident_id = i.id
    where x.service_id = ${serviceId} and i.kind = 'mass' and i.state <> 'resolved' order by i.mass_group`;
  for (const { id, massGroup } of open) {
    await tx`select pg_advisory_xact_lock(${LOCK}, hashtext(${massGroup}))`;
    if ((await countWaiting(tx, id)) > 0) continue;
    const { groups, devices, known } = await listStillDown(tx, id, massGroup);
    if (mass !== null && isMass(devices, known, mass)) continue;
    ending.set(id, await regroup(tx, groups, debounce));
  }
  return ending;
}

/** Services of an incident whose gate does not stand open on evidence; retired ones wait for nothing. */
export async function countWaiting(tx: Transaction, incidentId: string): Promise<number> {
  const [row] = await tx<{ count: number }[]>`
    select count(*)::int as count from incident_service x join gate g on g.service_id = x.service_id join service s on s.id = x.service_id
    where x.incident_id = ${incidentId} and s.retired_at is null
      and (g.state not in ('open', 'releasing') or (g.hand = 'open' and g.opened_by is null))`;
  return row?.count ?? 0;
}

async function listStillDown(tx: Transaction, incidentId: string, massGroup: string) {
  const rows = await tx<{ groupId: number; type: string }[]>`
    select distinct g.id as group_id, g.type
    from incident_subject x join subject_told t on t.subject_id = x.subject_id join subject s on s.id = x.subject_id
    join subject g on g.id = coalesce(s.device_id, s.id)
    where x.incident_id = ${incidentId} and t.down order by 1`;
  const [count] = await tx<{ known: number }[]>`
    select count(*)::int as known from subject where group_name = ${massGroup} and type = 'device'`;
  return {
    groups: rows.map((row) => row.groupId),
    devices: rows.filter((row) => row.type === 'device').length,
    known: count?.known ?? 0,
  };
}
