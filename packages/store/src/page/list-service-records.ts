import type { Sql } from '../database/connect.ts';
import { toStoreError } from '../database/store-error.ts';

/** One stretch of the flap strip. */
export interface StripCell {
  /** Counted from the oldest, 0 first. */
  readonly cell: number;
  readonly disconnects: number;
  /** An incident about the service was open during it. */
  readonly down: boolean;
}

/** How a service has fared. */
export interface ServiceRecord {
  readonly service: string;
  readonly createdAt: Date;
  /** Share of the last 24 hours and 7 days, or of its life if that is shorter, in which no incident about it was open; not between an end and a reopening. */
  readonly availableDay: number;
  readonly availableWeek: number;
  /** Of the last 24 hours; a stretch in which nothing happened is absent. */
  readonly strip: StripCell[];
}

/** Cells of the strip, half an hour each. */
export const STRIP_CELLS = 48;
const CELL_S = 1800;
const DAY_S = 86_400;
const WEEK_S = 7 * DAY_S;

/** Availability and flap strip of each service; of `services` (null: all), by name. */
export async function listServiceRecords(sql: Sql, services: readonly string[] | null): Promise<ServiceRecord[]> {
  const ago = (seconds: number) => sql`(c.now - make_interval(secs => ${seconds}))`;
  const cellOf = (at: ReturnType<typeof sql>) =>
    sql`(${STRIP_CELLS - 1} - floor(extract(epoch from c.now - ${at}) / ${CELL_S})::int)`;
  const available = (seconds: number) => sql`(
    select 1 - coalesce(sum(extract(epoch from upper(r) - lower(r))), 0)::float8
      / greatest(1, least(${seconds}, extract(epoch from c.now - s.created_at)))::float8
    from unnest(o.down * tstzmultirange(tstzrange(${ago(seconds)}, c.now))) r)`;
  try {
    return await sql<ServiceRecord[]>`
      with c as materialized (select clock_timestamp() as now),
      s as materialized (
        select id, name, created_at from service
        where retired_at is null ${services === null ? sql`` : sql`and name = any(${[...services]}::text[])`}),
      outage as materialized (
        select s.id as service_id, greatest(e.since, s.created_at) as since, e.until
        from c cross join s join incident_service x on x.service_id = s.id join incident i on i.id = x.incident_id
        cross join lateral ${episodes(sql)} e
        where coalesce(i.resolved_at, c.now) > greatest(i.opened_at, s.created_at, ${ago(WEEK_S)})
          and e.until > greatest(e.since, s.created_at, ${ago(WEEK_S)})),
      o as materialized (select service_id, range_agg(tstzrange(since, until)) as down from outage group by service_id),
      cell as materialized (
        select service_id, cell, sum(disconnects)::int as disconnects, bool_or(down) as down from (
          select s.id as service_id, ${cellOf(sql`v.first_received_at`)} as cell, 1 as disconnects, false as down
          from c cross join s join dependency d on d.service_id = s.id join observation v on v.subject_id = d.subject_id
          where v.status = 'disconnected' and v.first_received_at > ${ago(DAY_S)}
          union all
          select p.service_id, n.cell, 0, true from c cross join outage p cross join lateral
            generate_series(greatest(0, ${cellOf(sql`p.since`)}), ${cellOf(sql`p.until`)}) n(cell)
          where p.until > ${ago(DAY_S)}
        ) e where cell between 0 and ${STRIP_CELLS - 1} group by service_id, cell)
      select s.name as service, s.created_at, ${available(DAY_S)} as available_day, ${available(WEEK_S)} as available_week,
        (select coalesce(json_agg(json_build_object('cell', e.cell, 'disconnects', e.disconnects, 'down', e.down) order by e.cell), '[]')
          from cell e where e.service_id = s.id) as strip
      from c cross join s left join o on o.service_id = s.id
      order by s.name`;
  } catch (error) {
    throw toStoreError(error);
  }
}

/** When an incident was open: from its opening, and from each reopening, to the end that came next, as its timeline has them. */
function episodes(sql: Sql) {
  return sql`(
    select b.at as since, coalesce((
      select min(t.at) from timeline_entry t
      where i.reopened > 0 and t.incident_id = i.id and t.id > b.id and t.event in ('incident.resolved', 'incident.overridden', 'incident.merged')
    ), i.resolved_at, c.now) as until
    from (
      select 0 as id, i.opened_at as at
      union all
      select t.id, t.at from timeline_entry t where i.reopened > 0 and t.incident_id = i.id and t.event = 'incident.reopened'
    ) b)`;
}
