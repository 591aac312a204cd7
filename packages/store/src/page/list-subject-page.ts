import type { ConnectivityStatus, SubjectType } from '@tidegate/core';
import type { Sql } from '../database/connect.ts';
import { toStoreError } from '../database/store-error.ts';

/** A device or tunnel as a page shows it. */
export interface SubjectView {
  readonly alias: string;
  readonly type: SubjectType;
  readonly group: string;
  readonly name: string | null;
  /** A tunnel's id when it is public. */
  readonly publicId: string | null;
  /** Of a tunnel's device. */
  readonly device: { readonly alias: string; readonly name: string | null } | null;
  /** By webhooks. */
  readonly status: ConnectivityStatus | null;
  /** By the last poll. */
  readonly polled: ConnectivityStatus | null;
  readonly suspect: boolean;
  readonly services: string[];
  readonly changedAt: Date | null;
}

export interface SubjectPage {
  readonly items: SubjectView[];
  readonly total: number;
}

/** Some of the subjects: what is, or may be, broken first, then what nothing is known of, each by name. */
export async function listSubjectPage(
  sql: Sql,
  part: { readonly from: number; readonly most: number },
): Promise<SubjectPage> {
  try {
    const [items, [counted]] = await Promise.all([
      sql<SubjectView[]>`
        select s.alias, s.type, s.group_name as group, s.name, s.public_id, s.polled_status as polled, c.moved_at as changed_at,
          case when d.id is not null then json_build_object('alias', d.alias, 'name', d.name) end as device,
          case when c.disconnected then 'disconnected' when not c.disconnected then 'connected' end as status,
          coalesce(c.suspect_disconnected or c.suspect_connected, false) as suspect,
          (select coalesce(array_agg(v.name order by v.name), '{}') from dependency e join service v on v.id = e.service_id
            where e.subject_id = s.id) as services
        from subject s left join subject d on d.id = s.device_id left join connectivity c on c.subject_id = s.id
        order by case
            when c.disconnected or c.suspect_disconnected or c.suspect_connected or (s.polled_status = 'disconnected') then 0
            when c.disconnected is null and s.polled_status is null then 1
            else 2 end,
          lower(coalesce(s.name, s.public_id, s.alias)), s.type, s.alias
        limit ${part.most} offset ${part.from}`,
      sql<{ total: number }[]>`select count(*)::int as total from subject`,
    ]);
    return { items, total: counted?.total ?? 0 };
  } catch (error) {
    throw toStoreError(error);
  }
}
