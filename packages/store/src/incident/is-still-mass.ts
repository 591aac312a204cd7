import { isMass, type MassPolicy } from '@tidegate/core';
import type { Transaction } from '../database/connect.ts';
import { wasBack } from './was-back.ts';

/**
 * Whether what has been down ever since it joined a mass incident would be a mass outage by itself. It is asked for each gate
 * that opens and in each pass of the correlator, so the devices come first, and no more of them than it takes: of a large
 * outage that goes on, its tunnels are not looked at.
 * @param massGroup the source group
 */
export async function isStillMass(
  tx: Transaction,
  incidentId: string,
  massGroup: string,
  mass: MassPolicy,
): Promise<boolean> {
  const [all] = await tx<{ known: number }[]>`select count_devices(${massGroup}) as known`;
  const known = all?.known ?? 0;
  const enough = Math.max(1, mass.minDevices, Math.ceil(mass.fraction * known));
  const [devices] = await tx<{ lost: number }[]>`
    select count(*)::int as lost from (
      select 1 from subject s join incident_subject x on x.incident_id = ${incidentId} and x.subject_id = s.id
      join subject_told t on t.subject_id = s.id
      where s.group_name = ${massGroup} and s.type = 'device' and t.down and not ${wasBack(tx)} limit ${enough}) l`;
  if (isMass(devices?.lost ?? 0, known, mass)) return true;
  // One that is up itself counts by its tunnels.
  const [groups] = await tx<{ lost: number }[]>`
    select count(distinct g.id)::int as lost
    from incident_subject x join subject_told t on t.subject_id = x.subject_id join subject s on s.id = x.subject_id
    join subject g on g.id = coalesce(s.device_id, s.id)
    where x.incident_id = ${incidentId} and t.down and g.type = 'device' and not ${wasBack(tx)}`;
  return isMass(groups?.lost ?? 0, known, mass);
}
