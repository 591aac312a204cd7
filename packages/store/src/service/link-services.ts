import type { Transaction } from '../database/connect.ts';
import { lockGates, raiseGenerations } from '../gate/raise-generations.ts';

interface ServiceEdges {
  serviceId: number;
  /** The one device of the service; null when none is linked, or when several share the name and any could be meant. */
  deviceId: number | null;
  currentDeviceId: number | null;
  /** The subjects whose Disconnected shuts the service's gate, ascending. */
  wanted: number[];
  present: number[];
  /** The service's tunnel, when config alone says which device it belongs to. */
  ownedTunnelId: number | null;
}

/**
 * Re-derives which subjects the services of these groups depend on: their tunnel, their device (by alias, or every one of
 * that name once API v2 told it), and their tunnel's device; retired services depend on nothing. Where that changed, the
 * subjects are locked before the edges are read again, so that a Disconnected recorded meanwhile either sees the new edge
 * or is seen by it; then the gates, and the generation is raised (I6).
 * @param policyChanged services whose probes or policy changed: their generation is raised in the same pass
 * @returns ids of the services whose edges changed
 */
export async function linkServices(
  tx: Transaction,
  groups: readonly string[],
  policyChanged: readonly number[] = [],
): Promise<number[]> {
  const stale = (await readEdges(tx, groups)).filter(differs);
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
      : (await readEdges(tx, groups)).filter((edges) => ids.has(edges.serviceId) && differs(edges));
  const moved = changed.map((edges) => edges.serviceId);
  await lockGates(tx, [...moved, ...policyChanged]);
  for (const edges of changed) await saveEdges(tx, edges);
  await raiseGenerations(tx, moved, 'topology_changed');
  await raiseGenerations(
    tx,
    policyChanged.filter((id) => !moved.includes(id)),
    'policy_changed',
  );
  return moved;
}

async function saveEdges(tx: Transaction, edges: ServiceEdges): Promise<void> {
  await tx`update service set device_id = ${edges.deviceId} where id = ${edges.serviceId}`;
  await tx`delete from dependency where service_id = ${edges.serviceId} and subject_id <> all(${edges.wanted}::bigint[])`;
  await tx`insert into dependency (subject_id, service_id, origin)
           select s.id, ${edges.serviceId}, case when s.type = 'tunnel' then 'config' else coalesce(s.device_origin, 'api') end
           from subject s where s.id = any(${edges.wanted}::bigint[])
           on conflict do nothing`;
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
      (select coalesce(array_agg(d.subject_id order by d.subject_id), '{}') from dependency d where d.service_id = s.id) as present
    from service s
    left join subject tunnel on tunnel.id = s.tunnel_id
    left join lateral (
      select coalesce(array_agg(d.id order by d.id) filter (where d.alias = s.device_ref),
                      array_agg(d.id order by d.id), '{}') as ids
      from subject d
      where d.type = 'device' and d.group_name = s.group_name
        and (d.alias = s.device_ref or (d.name = s.device_ref and d.linked_at is not null))
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
