ALTER TABLE "dependency" ADD COLUMN "device_ref" text;--> statement-breakpoint
CREATE INDEX "service_without_device" ON "service" USING btree ("group_name") WHERE device_id is null and retired_at is null;--> statement-breakpoint
UPDATE dependency d SET device_ref = v.device_ref FROM service v, subject s
WHERE v.id = d.service_id AND s.id = d.subject_id AND s.type = 'device' AND s.group_name = v.group_name
  AND (s.alias = v.device_ref OR (s.name = v.device_ref AND s.linked_at IS NOT NULL));
--> statement-breakpoint
-- The services of a group that a device may be meant by although no edge says so: those without a device, for a token that
-- has no name yet; and for any device those whose config names one that was never told of: it may have another name.
create function services_open_to(p_group text, p_linked boolean) returns table (service_id integer)
language sql stable
as $$
  select v.id from service v
  where v.group_name = p_group and v.device_id is null and v.retired_at is null
    and (not p_linked or (v.device_ref is not null
      and not exists (select 1 from dependency d where d.service_id = v.id and d.device_ref = v.device_ref)))
$$;
--> statement-breakpoint
-- Which services a delivery about these subjects touches: by an edge, or as a device that may be theirs.
create or replace function services_touched(p_subject bigint[])
returns table (subject_id bigint, service_id integer)
language sql stable
as $$
  select d.subject_id, d.service_id from dependency d where d.subject_id = any(p_subject)
  union
  select t.id, o.service_id
  from (select id, group_name, linked_at from subject where id = any(p_subject) and type = 'device' offset 0) t
  cross join lateral services_open_to(t.group_name, t.linked_at is not null) o
$$;
--> statement-breakpoint
-- As before, and watches what may be meant by a service.
create or replace function arm_pending(
  p_key uuid[], p_subject bigint[], p_source integer[], p_disconnected boolean[], p_fresh uuid[],
  p_open_after_ms integer, p_max_wait_ms integer, p_now timestamptz
) returns timestamptz[]
language plpgsql
as $$
declare
  v_group bigint[];
  v_count integer[];
  v_disconnects integer[];
begin
  with news as (
    select s.id, coalesce(s.device_id, s.id) as group_id, s.type, s.group_name, s.linked_at, i.source_id, i.disconnected
    from unnest(p_key, p_subject, p_source, p_disconnected) as i(key, subject_id, source_id, disconnected)
    join subject s on s.id = i.subject_id
    where s.id = any(p_subject) and (i.disconnected or p_fresh is null or i.key = any(p_fresh))
  ), groups as (
    select n.group_id, count(*)::integer as count, (count(*) filter (where n.disconnected))::integer as disconnects
    from news n
    where exists (select 1 from source o where o.id = n.source_id and o.watch = 'all')
       or exists (select 1 from dependency d where d.subject_id in (n.id, n.group_id))
       or (n.type = 'device' and exists (select 1 from services_open_to(n.group_name, n.linked_at is not null)))
    group by n.group_id
  )
  select array_agg(g.group_id), array_agg(g.count), array_agg(g.disconnects) into v_group, v_count, v_disconnects from groups g;
  if v_group is null then
    return '{}';
  end if;
  return arm_groups(v_group, v_count, v_disconnects, p_open_after_ms, p_max_wait_ms, p_now);
end $$;
--> statement-breakpoint
-- As before, and watches what may be meant by a service; what a source that was taken away watched is watched no more.
create or replace function group_members(p_groups bigint[])
returns table (
  group_id bigint, id bigint, alias text, type text, name text, watched boolean, down boolean, polled boolean,
  since_ms bigint, observed_at timestamptz
)
language sql stable
as $$
  with told as (
    select coalesce(s.device_id, s.id) as group_id, s.id, s.alias, s.type, s.name, c.moved_at as observed_at,
      told_down(c.disconnected, c.observation_key is not distinct from c.cleared_key,
        case when s.polled_at is not null then (select k.first_received_at from observation_key k where k.key = c.observation_key) end,
        coalesce(c.suspect_disconnected, false), s.polled_status, s.polled_at) as told,
      coalesce(c.suspect_disconnected or (c.disconnected and c.observation_key is distinct from c.cleared_key), false) as by_webhook,
      case when c.disconnected and c.observation_key is distinct from c.cleared_key then (c.ticks / 10000)::bigint end as dropped_ms,
      (c.ticks / 10000)::bigint as dated_ms, s.polled_at,
      coalesce(d.edges > 0, false) or w.group_name is not null
        or (s.type = 'device' and u.group_name is not null and (s.linked_at is null or u.names_unknown)) as watched,
      coalesce(d.proved, false) as proved
    from subject s
    left join connectivity c on c.subject_id = s.id
    left join lateral (
      select count(*) as edges, bool_and(g.state in ('open', 'releasing') and g.reason = 'verified') as proved
      from dependency e join gate g on g.service_id = e.service_id where e.subject_id = s.id
    ) d on true
    left join (select distinct o.group_name from source o where o.watch = 'all' and o.retired_at is null) w on w.group_name = s.group_name
    left join (
      select v.group_name, bool_or(v.device_ref is not null
        and not exists (select 1 from dependency d where d.service_id = v.id and d.device_ref = v.device_ref)) as names_unknown
      from service v where v.device_id is null and v.retired_at is null group by v.group_name
    ) u on u.group_name = s.group_name
    where s.id = any(p_groups) or s.device_id = any(p_groups)
  ), counted as (
    select t.*, bool_or(t.told and t.watched and not t.proved and t.id = t.group_id) over (partition by t.group_id) as device_down
    from told t
  )
  select c.group_id, c.id, c.alias, c.type, c.name, c.watched,
    c.told and ((c.watched and not c.proved) or c.device_down) as down,
    c.told and not c.by_webhook as polled,
    coalesce(case when c.told and not c.by_webhook then (extract(epoch from c.polled_at) * 1000)::bigint
                  when c.told then coalesce(c.dropped_ms, (extract(epoch from c.observed_at) * 1000)::bigint)
                  else c.dated_ms end, (extract(epoch from c.observed_at) * 1000)::bigint, 0) as since_ms,
    c.observed_at
  from counted c
$$;
--> statement-breakpoint
-- How many devices of a source group can be lost: those a service depends on, and those that were heard of lately. Polls list
-- every device that there is; without them a device that is calm says nothing for weeks. A stand-in (version 0) is none.
create function count_devices(p_group text) returns integer
language sql stable
as $$
  select count(*)::integer from subject s
  left join connectivity c on c.subject_id = s.id
  cross join (select clock_timestamp() - case when exists (select 1 from poll p where p.answered_at > clock_timestamp() - interval '1 day')
    then interval '1 day' else interval '90 days' end as since) heard
  where s.group_name = p_group and s.type = 'device' and s.fingerprint_version <> 0
    and (greatest(s.confirmed_at, s.polled_at, c.moved_at, s.first_seen_at) > heard.since
      or exists (select 1 from dependency d where d.subject_id = s.id))
$$;
