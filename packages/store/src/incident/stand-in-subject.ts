import type { SubjectRef } from '@tidegate/core';
import type { Transaction } from '../database/connect.ts';

/** No fingerprint key has this version, so no delivery and no poll can ever meet a stand-in. */
const STAND_IN_VERSION = 0;

/**
 * The subject that stands for a service whose device nobody has told us of yet (a name that API v2 never answered, and no
 * tunnel), so that its outage has a group to open an incident under. One per service.
 */
export async function standInSubject(tx: Transaction, serviceId: number): Promise<SubjectRef & { id: number }> {
  const [row] = await tx<(SubjectRef & { id: number })[]>`
    insert into subject (alias, type, group_name, fingerprint_version, fingerprint, name)
    select 'dev_' || substr(md5(random()::text || s.name), 1, 16), 'device', s.group_name, ${STAND_IN_VERSION},
      convert_to('service ' || s.id, 'UTF8'), s.device_ref
    from service s where s.id = ${serviceId}
    on conflict (fingerprint_version, fingerprint) do update set name = excluded.name
    returning id, alias, type, name`;
  if (row === undefined) throw new Error('a verified service is gone');
  return row;
}
