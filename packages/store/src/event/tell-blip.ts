import { describeEvent, type SubjectRef } from '@tidegate/core';
import type { Transaction } from '../database/connect.ts';

/** Writes the event of a blip: it has no incident, so no timeline tells of it. It concerns the services that depend on the group. */
export async function tellBlip(
  tx: Transaction,
  groupId: number,
  { group, firstAt, lastAt }: { readonly group: SubjectRef; readonly firstAt: Date; readonly lastAt: Date },
): Promise<void> {
  const lastedMs = lastAt.getTime() - firstAt.getTime();
  const why = describeEvent({ event: 'group.blipped', subjects: [group], lastedMs });
  await tx`
    insert into event (at, event, why, services)
    select clock_timestamp(), 'group.blipped', ${why}, coalesce(array_agg(distinct v.name order by v.name), '{}')
    from service v join dependency d on d.service_id = v.id join subject m on m.id = d.subject_id
    where v.retired_at is null and (m.id = ${groupId} or m.device_id = ${groupId})`;
}
