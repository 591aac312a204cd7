import type { Transaction } from '../database/connect.ts';
import { raiseGenerations } from '../gate/raise-generations.ts';

interface WantedEdges {
  serviceId: number;
  deviceId: number | null;
  /** The subjects whose Disconnected shuts the service's gate, ascending. */
  wanted: number[];
  present: number[];
}

/**
 * Re-derives which subjects the services of these groups depend on: their tunnel, their device (by alias, or by its name
 * once API v2 told it), and their tunnel's device. Where that changed, the subjects are locked before the edges are read
 * again, so that a Disconnected recorded meanwhile either sees the new edge or is seen by it; the generation is raised.
 * @returns ids of the services whose edges changed
 */
export async function linkServices(tx: Transaction, groups: readonly string[]): Promise<number[]> {
  const stale = (await readEdges(tx, groups)).filter(differs);
  if (stale.length === 0) return [];
  const subjects = [...new Set(stale.flatMap((edges) => [...edges.wanted, ...edges.present]))];
  await tx`select 1 from subject where id = any(${subjects}::bigint[]) order by id for update`;
  const ids = stale.map((edges) => edges.serviceId);
  const changed = (await readEdges(tx, groups)).filter((edges) => ids.includes(edges.serviceId) && differs(edges));
  for (const edges of changed) {
    await tx`update service set device_id = ${edges.deviceId} where id = ${edges.serviceId}`;
    await tx`delete from dependency where service_id = ${edges.serviceId} and subject_id <> all(${edges.wanted}::bigint[])`;
    await tx`insert into dependency (subject_id, service_id, origin)
             select s.id, ${edges.serviceId}, case when s.type = 'tunnel' then 'config' else coalesce(s.device_origin, 'api') end
             from subject s where s.id = any(${edges.wanted}::bigint[])
             on conflict do nothing`;
  }
  await raiseGenerations(
    tx,
    changed.map((edges) => edges.serviceId),
    'topology_changed',
  );
  return changed.map((edges) => edges.serviceId);
}

async function readEdges(
  tx: Transaction,
  groups: readonly string[],
): Promise<(WantedEdges & { currentDeviceId: number | null })[]> {
  return tx<(WantedEdges & { currentDeviceId: number | null })[]>`
    select s.id as service_id, s.device_id as current_device_id, coalesce(named.id, tunnel.device_id) as device_id,
      (select coalesce(array_agg(distinct w.id order by w.id), '{}')
         from (values (tunnel.id), (tunnel.device_id), (named.id)) as w(id) where w.id is not null) as wanted,
      (select coalesce(array_agg(d.subject_id order by d.subject_id), '{}') from dependency d where d.service_id = s.id) as present
    from service s
    left join subject tunnel on tunnel.id = s.tunnel_id
    left join lateral (
      select d.id from subject d
      where d.type = 'device' and d.group_name = s.group_name
        and (d.alias = s.device_ref or (d.name = s.device_ref and d.linked_at is not null))
      order by (d.alias = s.device_ref) desc, d.id limit 1
    ) named on true
    where s.retired_at is null and s.group_name = any(${[...groups]}::text[])
    order by s.id`;
}

function differs(edges: WantedEdges & { currentDeviceId: number | null }): boolean {
  return edges.currentDeviceId !== edges.deviceId || edges.wanted.join() !== edges.present.join();
}
