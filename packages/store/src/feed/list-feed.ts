import type { Sql } from '../database/connect.ts';
import { toStoreError } from '../database/store-error.ts';
import { type IncidentRow, incidentColumns, namesOneOf } from '../incident/list-incidents.ts';

/** An incident with what was told of it, as feeds show it. */
export interface FeedRow extends IncidentRow {
  /** When something was last told of it. */
  readonly updatedAt: Date;
  readonly timeline: readonly { readonly at: string; readonly event: string; readonly why: string }[];
}

export interface Feed {
  readonly items: FeedRow[];
  /** By the clock of Postgres. */
  readonly readAt: Date;
}

const MOST_TOLD = 50;

/**
 * The incidents of which something was told last, newest first, each with the newest 50 sentences of its timeline. Of any number of
 * incidents only those that are open, and the newest that were opened or resolved, are looked at.
 * @param services names of the services the reader may see; null means all
 */
export async function listFeed(
  sql: Sql,
  { services, limit }: { readonly services: readonly string[] | null; readonly limit: number },
): Promise<Feed> {
  const visible = services === null ? sql`` : sql`and ${namesOneOf(sql, services)}`;
  const newest = (order: ReturnType<typeof sql>) =>
    sql`(select i.id from incident i where i.merged_into is null ${visible} ${order} limit ${limit})`;
  try {
    const items = await sql<FeedRow[]>`
      select ${incidentColumns(sql)}, u.updated_at,
        (select coalesce(json_agg(json_build_object('at', t.at, 'event', t.event, 'why', t.why) order by t.at, t.id), '[]') from (
          select id, at, event, why from timeline_entry where incident_id = i.id order by id desc limit ${MOST_TOLD}) t) as timeline
      from incident i left join subject g on g.id = i.group_id
      cross join lateral (
        select greatest(i.opened_at, i.resolved_at, (select max(at) from timeline_entry where incident_id = i.id)) as updated_at) u
      where i.id in (
        ${newest(sql`order by i.opened_at desc`)} union ${newest(sql`and i.resolved_at is not null order by i.resolved_at desc`)}
        union ${newest(sql`and i.state <> 'resolved' order by i.opened_at desc`)})
      order by u.updated_at desc, i.id limit ${limit}`;
    const [clock] = await sql<{ now: Date }[]>`select clock_timestamp() as now`;
    return { items, readAt: clock?.now ?? new Date(0) };
  } catch (error) {
    throw toStoreError(error);
  }
}
