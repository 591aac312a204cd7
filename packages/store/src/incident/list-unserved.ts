import type { IncidentKind, ListedMembers, Verdict } from '@tidegate/core';
import type { Sql } from '../database/connect.ts';

/** An open incident that no service has part in, with what a poll listed about its members. */
export interface UnservedIncident {
  readonly id: string;
  readonly kind: IncidentKind;
  readonly sourceGroup: string;
  /** Of a mass outage only the groups that are up count: what is still down is told apart when it ends. */
  readonly listed: ListedMembers;
  /** Devices of which something is down or unlisted, and what is to be armed again for them and for lone tunnels. */
  readonly lostDevices: number;
  readonly knownDevices: number;
  readonly lostGroups: readonly number[];
  /** Passes in a row so far; 0 when anything was observed since the last. */
  readonly passes: number;
  readonly lastVerdict: Verdict | null;
}

interface UnservedRow extends Omit<UnservedIncident, 'listed'> {
  readonly counts: Record<'dc' | 'dd' | 'du' | 'tc' | 'td' | 'tu', number>;
}

/**
 * Lists the unserved open incidents, in one statement. Those of which something was observed since the poll was begun are
 * left to the next one, and one that flaps until it settles.
 */
export async function listUnserved(sql: Sql, askedAt: Date): Promise<UnservedIncident[]> {
  const rows = await sql<UnservedRow[]>`
    with unserved as (
      select i.*, coalesce(i.mass_group, g.group_name) as source_group
      from incident i left join subject g on g.id = i.group_id
      where i.state <> 'resolved' and i.kind <> 'flapping' and not exists (
        select 1 from incident_service x join service s on s.id = x.service_id where x.incident_id = i.id and s.retired_at is null)
    ), members as (
      select i.id, i.passed_at, coalesce(s.device_id, s.id) as group_id, s.id as subject_id, s.type, c.moved_at,
        coalesce(c.moved_at >= ${askedAt}, false) as stirred, case when s.polled_at >= ${askedAt} then s.polled_status end as status
      from unserved i join incident_subject x on x.incident_id = i.id join subject s on s.id = x.subject_id
      left join connectivity c on c.subject_id = s.id
    ), groups as (
      select m.id, m.group_id,
        -- A tunnel that is gone from the list while its device is there was deleted, and keeps nothing down.
        bool_or(m.stirred or m.status = 'disconnected' or (m.status is null and m.subject_id = m.group_id)) is not true as up,
        bool_or(m.stirred) as stirred, bool_or(m.moved_at > m.passed_at) as moved,
        count(*) filter (where m.type = 'device' and m.status = 'connected')::int as dc,
        count(*) filter (where m.type = 'device' and m.status = 'disconnected')::int as dd,
        count(*) filter (where m.type = 'device' and m.status is null)::int as du,
        count(*) filter (where m.type = 'tunnel' and m.status = 'connected')::int as tc,
        count(*) filter (where m.type = 'tunnel' and m.status = 'disconnected')::int as td,
        count(*) filter (where m.type = 'tunnel' and m.status is null)::int as tu
      from members m group by m.id, m.group_id
    )
    select i.id, i.kind, i.source_group,
      json_build_object('dc', sum(g.dc), 'dd', sum(g.dd), 'du', sum(g.du), 'tc', sum(g.tc), 'td', sum(g.td), 'tu', sum(g.tu)) as counts,
      0 as lost_devices, 0 as known_devices, '{}'::bigint[] as lost_groups,
      case when bool_or(g.moved) then 0 else i.passes end as passes, v.verdict as last_verdict
    from unserved i join groups g on g.id = i.id
    left join lateral (select verdict from verification v where v.incident_id = i.id order by v.started_at desc limit 1) v on true
    where i.kind <> 'mass'
    group by i.id, i.kind, i.source_group, i.passes, v.verdict
    having not bool_or(g.stirred)
    union all
    select i.id, i.kind, i.source_group,
      json_build_object('dc', coalesce(sum(g.dc) filter (where g.up), 0), 'dd', 0, 'du', 0,
        'tc', coalesce(sum(g.tc) filter (where g.up), 0), 'td', 0, 'tu', coalesce(sum(g.tu) filter (where g.up), 0)),
      count(*) filter (where not g.up and s.type = 'device')::int,
      count_devices(i.source_group),
      coalesce(array_agg(g.group_id order by g.group_id) filter (where not g.up), '{}'),
      case when bool_or(g.moved) filter (where g.up) then 0 else i.passes end, v.verdict
    from unserved i join groups g on g.id = i.id join subject s on s.id = g.group_id
    left join lateral (select verdict from verification v where v.incident_id = i.id order by v.started_at desc limit 1) v on true
    where i.kind = 'mass'
    group by i.id, i.kind, i.source_group, i.passes, v.verdict`;
  return rows.map(({ counts, ...row }) => ({
    ...row,
    listed: {
      devices: { connected: counts.dc, disconnected: counts.dd, unlisted: counts.du },
      tunnels: { connected: counts.tc, disconnected: counts.td, unlisted: counts.tu },
    },
  }));
}
