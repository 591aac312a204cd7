import type { Sql } from '../database/connect.ts';
import { toStoreError } from '../database/store-error.ts';

/** A service whose config names a device that no device of its group is called. */
export interface MisnamedService {
  readonly service: string;
  /** It goes on with the device that had the name before; otherwise every device of the group shuts its gate. */
  readonly kept: boolean;
}

/** Lists the services whose `device` matches nothing that API v2 told, by name. */
export async function listMisnamed(sql: Sql): Promise<MisnamedService[]> {
  try {
    return await sql<MisnamedService[]>`
      select v.name as service,
        exists (select 1 from dependency d where d.service_id = v.id and d.device_ref = v.device_ref) as kept
      from service v
      where v.retired_at is null and v.device_ref is not null
        and not exists (select 1 from subject d where d.alias = v.device_ref and d.type = 'device' and d.group_name = v.group_name)
        and not exists (select 1 from subject d where d.name = v.device_ref and d.type = 'device' and d.group_name = v.group_name
                          and d.linked_at is not null)
      order by v.name`;
  } catch (error) {
    throw toStoreError(error);
  }
}
