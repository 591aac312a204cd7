import type { MassPolicy } from '@tidegate/core';
import type { Transaction } from '../database/connect.ts';
import { isStillMass } from './is-still-mass.ts';

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

export interface EndingRun extends Debounce {
  /** Whether this run opened the gate, or found it standing open. */
  readonly opened: boolean;
  readonly mass: MassPolicy | null;
  /** How long nothing must have come back or dropped before a mass outage ends without its stragglers. */
  readonly settleMs: number;
}

/**
 * Finds the incidents of a service that end by its verification although something of them is down, and those of many
 * devices that end at all. What is still down, and watched, is armed anew before the incident is locked, so that it is told
 * by itself. Of two gates that open at the same time, the later transaction waits for the earlier one and sees it.
 *
 * A mass outage ends when what is still down would not be one by itself, and either the gates of all its services stand open
 * on evidence or nothing of it has moved for `settleMs`: a straggler, or a gate that a person holds, must not keep the
 * outage of all others open.
 * @returns the ids of those that may end, each with how many groups are told apart from now on
 */
export async function endWithStragglers(
  tx: Transaction,
  serviceId: number,
  run: EndingRun,
): Promise<ReadonlyMap<string, number>> {
  const ending = new Map<string, number>();
  const open = await tx<{ id: string; massGroup: string | null }[]>`
    select i.id, i.mass_group from incident i join incident_service x on x.incident_id = i.id
    where x.service_id = ${serviceId} and i.kind <> 'flapping' and i.state <> 'resolved'
      and (i.mass_group is not null or exists (
        select 1 from incident_subject m join subject_told t on t.subject_id = m.subject_id where m.incident_id = i.id and t.down))
    order by i.mass_group, i.id`;
  for (const { id, massGroup } of open) {
    await tx`select pg_advisory_xact_lock(${LOCK}, hashtext(${massGroup ?? id}))`;
    const waiting = await countWaiting(tx, id);
    if (waiting > 0 && (massGroup === null || run.opened || !(await hasSettled(tx, id, run.settleMs)))) continue;
    if (massGroup !== null && run.mass !== null && (await isStillMass(tx, id, massGroup, run.mass))) continue;
    ending.set(id, await regroup(tx, await listStillDown(tx, id), run));
  }
  return ending;
}

/** Nothing of an incident opened, joined or was heard of for so long. The gates come first: they are few. */
async function hasSettled(tx: Transaction, incidentId: string, settleMs: number): Promise<boolean> {
  const [row] = await tx<{ settled: boolean }[]>`
    with since as (select clock_timestamp() - make_interval(secs => ${settleMs} / 1000.0) as at)
    select not exists (select 1 from incident_service x join gate g on g.service_id = x.service_id
                        where x.incident_id = ${incidentId} and g.opened_by_started_at > since.at)
      and not exists (select 1 from incident_subject x left join connectivity c on c.subject_id = x.subject_id
                       where x.incident_id = ${incidentId} and (x.joined_at > since.at or c.moved_at > since.at)) as settled
    from since`;
  return row?.settled ?? false;
}

/** Services of an incident whose gate does not stand open on evidence; retired ones wait for nothing. */
export async function countWaiting(tx: Transaction, incidentId: string): Promise<number> {
  const [row] = await tx<{ count: number }[]>`
    select count(*)::int as count from incident_service x join gate g on g.service_id = x.service_id join service s on s.id = x.service_id
    where x.incident_id = ${incidentId} and s.retired_at is null
      and (g.state not in ('open', 'releasing') or (g.hand = 'open' and g.opened_by is null))`;
  return row?.count ?? 0;
}

/** Groups of an incident of which something is down that somebody watches; the rest would be told to nobody. */
async function listStillDown(tx: Transaction, incidentId: string): Promise<number[]> {
  const rows = await tx<{ groupId: number }[]>`
    select distinct m.group_id from group_members(array(
      select distinct coalesce(s.device_id, s.id)
      from incident_subject x join subject_told t on t.subject_id = x.subject_id join subject s on s.id = x.subject_id
      where x.incident_id = ${incidentId} and t.down)) m
    join incident_subject x on x.subject_id = m.id and x.incident_id = ${incidentId}
    where m.down order by 1`;
  return rows.map((row) => row.groupId);
}
