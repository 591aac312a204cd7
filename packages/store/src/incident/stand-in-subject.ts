import type { SubjectRef } from '@tidegate/core';
import type { Transaction } from '../database/connect.ts';
import { STAND_IN_VERSION } from '../subject/stand-in-version.ts';

/**
 * The subject that stands for a service whose device nobody has told us of yet (a name that API v2 never answered, and no
 * tunnel), so that its outage has a group to open an incident under. One per service.
 */
export async function standInSubject(tx: Transaction, serviceId: number): Promise<SubjectRef & { id: number }> {
  const [known] = await tx<(SubjectRef & { id: number })[]>`
    update subject x set name = s.device_ref from service s, fingerprint f
    where s.id = ${serviceId} and f.version = ${STAND_IN_VERSION} and f.value = convert_to('service ' || s.id, 'UTF8') and x.id = f.subject_id
    returning x.id, x.alias, x.type, x.name`;
  if (known !== undefined) return known;
  // The caller holds the service's gate, so nobody else makes it meanwhile.
  const [made] = await tx<(SubjectRef & { id: number })[]>`
    with made as (
      insert into subject (alias, type, group_name, fingerprint_version, fingerprint, name)
      select 'dev_' || substr(md5(random()::text || s.name), 1, 16), 'device', s.group_name, ${STAND_IN_VERSION},
        convert_to('service ' || s.id, 'UTF8'), s.device_ref
      from service s where s.id = ${serviceId}
      returning id, alias, type, name, fingerprint_version, fingerprint
    ), claimed as (
      insert into fingerprint (version, value, subject_id) select fingerprint_version, fingerprint, id from made
    )
    select id, alias, type, name from made`;
  if (made === undefined) throw new Error('a verified service is gone');
  return made;
}
