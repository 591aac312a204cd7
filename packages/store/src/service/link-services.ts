import type { Transaction } from '../database/connect.ts';
import { lockGates, raiseGenerations } from '../gate/raise-generations.ts';
import { joinServices } from '../incident/join-services.ts';

interface ServiceEdges {
  serviceId: number;
  /** The one device of the service; null when none is linked, or when several share the name and any could be meant. */
  deviceId: number | null;
  currentDeviceId: number | null;
  /** The subjects whose Disconnected shuts the service's gate, ascending. */
  wanted: number[];
  present: number[];
  /** Of the wanted ones, and of the present ones, those that the `device` of the config stands for. */
  named: number[];
  presentNamed: number[];
  /** The service's tunnel, when config alone says which device it belongs to. */
  ownedTunnelId: number | null;
}

/**
 * Re-derives which subjects the services of these groups depend on: their tunnel, their device (by alias, or every one of
 * that name once API v2 told it), and their tunnel's device; retired services depend on nothing. A device that is renamed
 * stays theirs until another takes the name. Where that changed, the subjects are locked before the edges are read again, so that a Disconnected recorded meanwhile either sees the new edge
 * or is seen by it; then the gates, and the generation is raised (I6).
 * @param policyChanged services whose probes or policy changed: their generation is raised in the same pass
 * @returns ids of the services whose edges changed
 */
export async function linkServices(
  tx: Transaction,
  groups: readonly string[],
  policyChanged: readonly number[] = [],
): Promise<number[]> {
  const stale = (await readEdges(tx, groups)).filter(isStale);
  const subjects = [
    ...new Set(
      stale.flatMap((edges) => [
        ...edges.wanted,
        ...edges.present,
        ...(edges.ownedTunnelId === null ? [] : [edges.ownedTunnelId]),
      ]),
    ),
  ];
  await tx`select 1 from subject where id = any(${subjects}::bigint[]) order by id for update`;
  const ids = new Set(stale.map((edges) => edges.serviceId));
  const changed =
    stale.length === 0
      ? []
      : (await readEdges(tx, groups)).filter((edges) => ids.has(edges.serviceId) && isStale(edges));
  const moved = changed.filter(differs).map((edges) => edges.serviceId);
  await lockGates(tx, [...moved, ...policyChanged]);
  for (const edges of changed) await saveEdges(tx, edges);
  await raiseGenerations(tx, moved, 'topology_changed');
  await raiseGenerations(
    tx,
    policyChanged.filter((id) => !moved.includes(id)),
    'policy_changed',
  );
  await armDown(tx, moved);
  await joinServices(tx, moved);
  return moved;
}

/** What these services come to depend on may be down already, and told by nobody, since nobody watched it. */
async function armDown(tx: Transaction, serviceIds: readonly number[]): Promise<void> {
  if (serviceIds.length === 0) return;
  await tx`
    select arm_groups(array_agg(g.group_id), array_agg(1), array_agg(0), min(g.open_after_ms), min(g.max_wait_ms), clock_timestamp())
    from (
      select coalesce(s.device_id, s.id) as group_id, min(v.open_after_ms) as open_after_ms, min(v.max_wait_ms) as max_wait_ms
      from dependency d join service v on v.id = d.service_id join subject s on s.id = d.subject_id
      join subject_told t on t.subject_id = s.id
      where d.service_id = any(${[...serviceIds]}::int[]) and v.retired_at is null and t.down
      group by 1
    ) g
    having count(*) > 0`;
}

async function saveEdges(tx: Transaction, edges: ServiceEdges): Promise<void> {
  await tx`update service set device_id = ${edges.deviceId} where id = ${edges.serviceId}`;
  await tx`delete from dependency where service_id = ${edges.serviceId} and subject_id <> all(${edges.wanted}::bigint[])`;
  await tx`insert into dependency (subject_id, service_id, origin, device_ref)
           select s.id, v.id, case when s.type = 'tunnel' then 'config' else coalesce(s.device_origin, 'api') end,
             case when s.id = any(${edges.named}::bigint[]) then v.device_ref end
           from subject s join service v on v.id = ${edges.serviceId} where s.id = any(${edges.wanted}::bigint[])
           on conflict (subject_id, service_id) do update set device_ref = excluded.device_ref`;
  if (edges.ownedTunnelId === null) return;
  await tx`update subject set device_id = ${edges.deviceId}, device_origin = 'config', device_since = clock_timestamp()
           where id = ${edges.ownedTunnelId} and device_id is null`;
}

async function readEdges(tx: Transaction, groups: readonly string[]): Promise<ServiceEdges[]> {
  return tx<ServiceEdges[]>`
    select s.id as service_id, s.device_id as current_device_id,
      case when s.retired_at is not null then null
        else coalesce(case when cardinality(named.ids) = 1 then named.ids[1] end, tunnel.device_id) end as device_id,
      case when s.retired_at is null and tunnel.device_id is null and cardinality(named.ids) = 1 then tunnel.id end as owned_tunnel_id,
      case when s.retired_at is not null then '{}'::bigint[] else
        (select coalesce(array_agg(distinct w.id order by w.id), '{}')
           from unnest(named.ids || array[tunnel.id, tunnel.device_id]) as w(id) where w.id is not null) end as wanted,
      (select coalesce(array_agg(d.subject_id order by d.subject_id), '{}') from dependency d where d.service_id = s.id) as present,
      case when s.retired_at is null then named.ids else '{}'::bigint[] end as named,
      (select coalesce(array_agg(d.subject_id order by d.subject_id), '{}') from dependency d
         where d.service_id = s.id and d.device_ref = s.device_ref) as present_named
    from service s
    left join subject tunnel on tunnel.id = s.tunnel_id
    left join lateral (
      select coalesce(array_agg(m.id order by m.id) filter (where m.by = 'alias'), array_agg(m.id order by m.id) filter (where m.by = 'name'),
                      array_agg(m.id order by m.id), '{}') as ids
      from (
        select d.id, 'alias' as by from subject d
        where d.alias = s.device_ref and d.type = 'device' and d.group_name = s.group_name
        union all
        select d.id, 'name' from subject d
        where d.name = s.device_ref and d.type = 'device' and d.group_name = s.group_name and d.linked_at is not null
        union all
        select d.id, 'edge' from dependency e join subject d on d.id = e.subject_id
        where e.service_id = s.id and e.device_ref = s.device_ref and d.group_name = s.group_name
      ) m
    ) named on true
    where (s.retired_at is null and s.group_name = any(${[...groups]}::text[]))
       or (s.retired_at is not null and exists (select 1 from dependency d where d.service_id = s.id))
    order by s.id`;
}

function differs(edges: ServiceEdges): boolean {
  return (
    edges.currentDeviceId !== edges.deviceId ||
    edges.wanted.join() !== edges.present.join() ||
    edges.ownedTunnelId !== null
  );
}

function isStale(edges: ServiceEdges): boolean {
  return differs(edges) || edges.named.join() !== edges.presentNamed.join();
}
