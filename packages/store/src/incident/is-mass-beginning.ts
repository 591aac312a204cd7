import { isMass, type MassPolicy } from '@tidegate/core';
import type { Transaction } from '../database/connect.ts';

/**
 * Whether so many devices of a service's source group have dropped, and wait to be correlated, that a mass outage will most
 * likely be told of them within the debounce.
 */
export async function isMassBeginning(tx: Transaction, serviceId: number, mass: MassPolicy | null): Promise<boolean> {
  if (mass === null) return false;
  const [dropped] = await tx<{ sourceGroup: string; devices: number }[]>`
    select s.group_name as source_group, count(distinct d.id)::int as devices
    from service s join subject g on g.group_name = s.group_name join pending p on p.group_id = g.id and p.disconnects > 0
    join subject d on d.id = coalesce(g.device_id, g.id) and d.type = 'device'
    where s.id = ${serviceId} group by s.group_name`;
  if (dropped === undefined || dropped.devices < mass.minDevices) return false;
  const [known] = await tx<{ devices: number }[]>`select count_devices(${dropped.sourceGroup}) as devices`;
  return isMass(dropped.devices, known?.devices ?? 0, mass);
}
