import { findTransitions, type GroupFacts, type Policy, type SubjectTransitions } from '@tidegate/core';
import type { Transaction } from '../database/connect.ts';

/** A group whose members' transitions are wanted. */
export interface RestlessQuestion {
  readonly groupId: number;
  readonly flap: Policy['flap'];
  /** A flapping incident is open for the group: then fewer observations matter, since they keep it from settling. */
  readonly wasFlapping: boolean;
}

interface ObservationRow {
  groupId: number;
  alias: string;
  status: 'connected' | 'disconnected';
  /** Its date, however far off; null when it has none. */
  atMs: number | null;
  receivedAt: Date;
}

/**
 * The transitions of each group's members that matter, in one statement however many tunnels there are: of a member with
 * enough observations received inside `flap.window` those, and the last one before, dated or not. So many transitions need as many observations,
 * and for all others an index answers that there are fewer.
 */
export async function loadTransitions(
  tx: Transaction,
  questions: readonly RestlessQuestion[],
): Promise<ReadonlyMap<number, NonNullable<GroupFacts['transitions']>>> {
  const rows = await tx<ObservationRow[]>`
    with asked as (
      select i.group_id, i.enough, clock_timestamp() - make_interval(secs => i.window_ms / 1000.0) as after
      from unnest(${questions.map((q) => q.groupId)}::bigint[], ${questions.map(enough)}::int[], ${questions.map((q) => q.flap.windowMs)}::bigint[])
        as i(group_id, enough, window_ms)
    ), restless as materialized (
      select a.group_id, s.id, s.alias, a.after
      from asked a join subject s on s.id = a.group_id or s.device_id = a.group_id
      where a.enough <= (
        select count(*) from (select 1 from observation o where o.subject_id = s.id and o.first_received_at > a.after limit a.enough) x)
    )
    select r.group_id, r.alias, o.status, (o.ticks / 10000.0)::float8 as at_ms, o.first_received_at as received_at
    from restless r cross join lateral (
      (select o.ticks, o.status, o.first_received_at from observation o where o.subject_id = r.id and o.first_received_at > r.after)
      union all
      (select o.ticks, o.status, o.first_received_at from observation o where o.subject_id = r.id and o.first_received_at <= r.after
        order by o.first_received_at desc, o.status desc limit 1)
    ) o`;
  const found = new Map<number, SubjectTransitions[]>();
  for (const [alias, own] of groupBy(rows, (row) => row.alias)) {
    const at = findTransitions(
      own.map(({ atMs, receivedAt, status }) => ({ at: atMs, receivedAt: receivedAt.getTime(), status })),
    );
    const groupId = own[0]?.groupId ?? 0;
    found.set(groupId, [...(found.get(groupId) ?? []), { alias, at }]);
  }
  return found;
}

function enough({ flap, wasFlapping }: RestlessQuestion): number {
  return wasFlapping ? Math.min(flap.settlesAt, flap.opensAt - 1) + 1 : flap.opensAt;
}

function groupBy<T, K>(items: readonly T[], keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
