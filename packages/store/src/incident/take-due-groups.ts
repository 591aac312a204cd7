import { MASS_QUIET_MS } from '@tidegate/core';
import type { Transaction } from '../database/connect.ts';

/** A group whose debounce has ended, with every pending row that belongs to it. */
export interface DueGroup {
  readonly groupId: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
  /** 0: nothing was observed, the group is only looked at again. */
  readonly count: number;
  readonly disconnects: number;
  /** The rows to delete: more than one when a tunnel's device was learnt while the tunnel was waiting. */
  readonly rows: number[];
}

/** The mass outages of source groups, by whether this pass opens them. */
export interface MassGroups {
  readonly open: readonly string[];
  readonly beginning: readonly string[];
}

/**
 * Locks up to `limit` due groups of these source groups, skipping those another worker has. Where a mass outage stands,
 * a group that dropped is taken before its debounce ends: it joins, and pages nobody.
 */
export async function takeDueGroups(
  tx: Transaction,
  limit: number,
  sourceGroups: readonly string[],
  masses: MassGroups,
): Promise<DueGroup[]> {
  return tx<DueGroup[]>`
    with due as materialized (
      select p.* from pending p join subject s on s.id = p.group_id
      where s.group_name = any(${[...sourceGroups]}::text[]) and (p.due_at <= clock_timestamp() ${joinsEarly(tx, masses)})
      order by p.due_at, p.group_id limit ${limit} for update of p skip locked
    )
    select coalesce(s.device_id, s.id) as group_id,
      -- Rows that only wait to look again have no first sign of their own.
      coalesce(min(d.first_at) filter (where d.count > 0), min(d.first_at)) as first_at,
      coalesce(max(d.last_at) filter (where d.count > 0), max(d.last_at)) as last_at,
      sum(d.count)::int as count, sum(d.disconnects)::int as disconnects, array_agg(d.group_id order by d.group_id) as rows
    from due d join subject s on s.id = d.group_id
    group by 1 order by 1`;
}

function joinsEarly(tx: Transaction, { open, beginning }: MassGroups) {
  if (open.length + beginning.length === 0) return tx``;
  // What costs most comes last: most groups of a burst are not quiet yet.
  return tx`or (p.disconnects > 0 and (s.group_name = any(${[...beginning]}::text[])
    or (s.group_name = any(${[...open]}::text[]) and p.last_at <= clock_timestamp() - make_interval(secs => ${MASS_QUIET_MS} / 1000.0)))
    and ${mayBeDown(tx)})`;
}

function mayBeDown(tx: Transaction) {
  const isDown = tx`(c.disconnected or c.suspect_disconnected or m.polled_status = 'disconnected')`;
  // Apart, since each ends at the first that it finds.
  return tx`(exists (select 1 from subject m left join connectivity c on c.subject_id = m.id where m.id = p.group_id and ${isDown})
    or exists (select 1 from subject m left join connectivity c on c.subject_id = m.id where m.device_id = p.group_id and ${isDown}))`;
}

/**
 * Groups that a beginning mass outage absorbs although nothing of them is pending: what they told before merges into it.
 * Those taken as due already are left out.
 */
export async function takeAbsorbedGroups(
  tx: Transaction,
  absorbs: readonly number[],
  due: readonly DueGroup[],
): Promise<DueGroup[]> {
  const taken = new Set(due.map(({ groupId }) => groupId));
  const left = absorbs.filter((groupId) => !taken.has(groupId));
  if (left.length === 0) return [];
  const told = await tx<{ groupId: number }[]>`
    select distinct coalesce(g.device_id, g.id) as group_id from incident i join subject g on g.id = i.group_id
    where i.state <> 'resolved' and (g.id = any(${left}::bigint[]) or g.device_id = any(${left}::bigint[])) order by 1`;
  const never = new Date(0);
  return told.map(({ groupId }) => ({ groupId, firstAt: never, lastAt: never, count: 0, disconnects: 0, rows: [] }));
}
