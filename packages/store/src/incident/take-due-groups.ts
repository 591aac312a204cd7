import type { Transaction } from '../database/connect.ts';

/** A group whose debounce has ended, with every pending row that belongs to it. */
export interface DueGroup {
  readonly groupId: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
  readonly count: number;
  readonly disconnects: number;
  /** The rows to delete: more than one when a tunnel's device was learnt while the tunnel was waiting. */
  readonly rows: number[];
}

/** Locks up to `limit` due groups, skipping those another worker has. */
export async function takeDueGroups(tx: Transaction, limit: number): Promise<DueGroup[]> {
  return tx<DueGroup[]>`
    with due as materialized (
      select p.* from pending p where p.due_at <= clock_timestamp() order by p.due_at, p.group_id limit ${limit} for update skip locked
    )
    select coalesce(s.device_id, s.id) as group_id, min(d.first_at) as first_at, max(d.last_at) as last_at, sum(d.count)::int as count,
      sum(d.disconnects)::int as disconnects, array_agg(d.group_id order by d.group_id) as rows
    from due d join subject s on s.id = d.group_id
    group by 1 order by 1`;
}
