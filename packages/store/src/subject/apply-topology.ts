import type { SafeName } from '@tidegate/core';
import type { Sql, Transaction } from '../database/connect.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { linkServices } from '../service/link-services.ts';
import { resolveSubjects, type SubjectIdentity } from './resolve-subjects.ts';

export interface TopologyDevice {
  readonly identity: SubjectIdentity;
  /** Sanitised name, or null when Localtonet gave none. */
  readonly name: SafeName | null;
}

export interface TopologyTunnel {
  readonly identity: SubjectIdentity;
  /** Index into the devices of the same call. */
  readonly device: number;
  readonly name: SafeName | null;
}

/**
 * Writes down what API v2 said about one group: names of devices, and which device a tunnel belongs to. An edge that moves
 * locks its subjects first; dependent gates are held under a new generation.
 * @returns ids of the services whose edges changed
 */
export async function applyTopology(
  sql: Sql,
  group: string,
  devices: readonly TopologyDevice[],
  tunnels: readonly TopologyTunnel[],
): Promise<number[]> {
  return inTransaction(sql, async (tx) => {
    const known = await resolveSubjects(
      tx,
      [...devices, ...tunnels].map((item) => item.identity),
    );
    const deviceIds = known.slice(0, devices.length).map((subject) => subject.id);
    const tunnelIds = known.slice(devices.length).map((subject) => subject.id);
    const owners = tunnels.map((tunnel) => deviceIds[tunnel.device] ?? null);
    await tx`select 1 from subject s
             join unnest(${[...deviceIds, ...tunnelIds]}::bigint[],
                         ${[...devices, ...tunnels].map((item) => item.name)}::text[],
                         ${[...devices.map(() => null), ...owners]}::bigint[]) as i(id, name, device_id) on i.id = s.id
             where ${staleSubject(tx)} order by s.id for update of s`;
    await tx`update subject s set
               name = coalesce(i.name, s.name),
               linked_at = coalesce(s.linked_at, clock_timestamp()),
               device_origin = case when i.device_id is distinct from s.device_id and i.device_id is not null then 'api' else s.device_origin end,
               device_since = case when i.device_id is distinct from s.device_id and i.device_id is not null then clock_timestamp() else s.device_since end,
               device_id = coalesce(i.device_id, s.device_id)
             from unnest(${[...deviceIds, ...tunnelIds]}::bigint[],
                         ${[...devices, ...tunnels].map((item) => item.name)}::text[],
                         ${[...devices.map(() => null), ...owners]}::bigint[]) as i(id, name, device_id)
             where i.id = s.id and ${staleSubject(tx)}`;
    return linkServices(tx, [group]);
  });
}

function staleSubject(tx: Transaction) {
  return tx`(s.linked_at is null or (i.name is not null and i.name is distinct from s.name)
             or (i.device_id is not null and i.device_id is distinct from s.device_id))`;
}
