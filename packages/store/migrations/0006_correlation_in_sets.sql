-- Whether a subject counts as disconnected: what was learnt later wins, and of two things learnt at one moment Disconnected
-- does. core/src/correlate/weigh-connectivity.ts states the same as pure code.
create function told_down(
  p_disconnected boolean, p_answered boolean, p_known_at timestamptz, p_suspect boolean, p_polled text, p_polled_at timestamptz
) returns boolean
language sql immutable parallel safe
as $$
  select case
    when p_suspect then true
    when p_polled is null then coalesce(p_disconnected and not p_answered, false)
    when p_disconnected is null then p_polled = 'disconnected'
    when p_polled_at > p_known_at then p_polled = 'disconnected'
    when p_polled_at < p_known_at then p_disconnected and not p_answered
    else p_polled = 'disconnected' or (p_disconnected and not p_answered)
  end
$$;
--> statement-breakpoint
-- The members of correlation groups as the correlator sees them: the group subject itself and, for a device, its tunnels.
-- Down is what is told down, watched by somebody, and not proved up by gates that stand open on newer evidence. A tunnel
-- nobody watches opens nothing by itself, but is shown as part of its device's outage.
create function group_members(p_groups bigint[])
returns table (
  group_id bigint, id bigint, alias text, type text, name text, watched boolean, down boolean, polled boolean,
  since_ms bigint, observed_at timestamptz
)
language sql stable
as $$
  with told as (
    select coalesce(s.device_id, s.id) as group_id, s.id, s.alias, s.type, s.name, c.moved_at as observed_at,
      told_down(c.disconnected, c.observation_key is not distinct from c.cleared_key,
        case when s.polled_at is not null then (select o.first_received_at from observation o where o.key = c.observation_key) end,
        coalesce(c.suspect_disconnected, false), s.polled_status, s.polled_at) as told,
      coalesce(c.suspect_disconnected or (c.disconnected and c.observation_key is distinct from c.cleared_key), false) as by_webhook,
      case when c.disconnected and c.observation_key is distinct from c.cleared_key then (c.ticks / 10000)::bigint end as dropped_ms,
      (c.ticks / 10000)::bigint as dated_ms, s.polled_at,
      coalesce(d.edges > 0, false) or w.group_name is not null or (s.type = 'device' and s.linked_at is null and u.group_name is not null) as watched,
      coalesce(d.proved, false) as proved
    from subject s
    left join connectivity c on c.subject_id = s.id
    left join lateral (
      select count(*) as edges, bool_and(g.state in ('open', 'releasing') and g.reason = 'verified') as proved
      from dependency e join gate g on g.service_id = e.service_id where e.subject_id = s.id
    ) d on true
    left join (select distinct o.group_name from source o where o.watch = 'all') w on w.group_name = s.group_name
    left join (select distinct v.group_name from service v where v.device_id is null and v.retired_at is null) u on u.group_name = s.group_name
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
-- Arms groups: one row each, its deadline pushed by each observation but never past first + max wait (I10). A row without
-- observations only waits to look again; the first observation starts its debounce.
create function arm_groups(
  p_group bigint[], p_count integer[], p_disconnects integer[], p_open_after_ms integer, p_max_wait_ms integer, p_now timestamptz
) returns timestamptz[]
language plpgsql
as $$
declare
  v_open_after interval[];
  v_max_wait interval[];
  v_armed timestamptz[];
begin
  select array_agg(make_interval(secs => coalesce(w.open_after_ms, p_open_after_ms) / 1000.0) order by g.ordinal),
         array_agg(make_interval(secs => coalesce(w.max_wait_ms, p_max_wait_ms) / 1000.0) order by g.ordinal)
  into v_open_after, v_max_wait
  from unnest(p_group) with ordinality as g(group_id, ordinal)
  left join lateral (
    select min(v.open_after_ms) as open_after_ms, min(v.max_wait_ms) as max_wait_ms
    from dependency d join service v on v.id = d.service_id
    where d.subject_id = g.group_id
  ) w on true;

  with upserted as (
    insert into pending as p (group_id, first_at, last_at, count, disconnects, due_at)
    select t.group_id, p_now, p_now, t.count, t.disconnects, p_now + least(t.open_after, t.max_wait)
    from unnest(p_group, p_count, p_disconnects, v_open_after, v_max_wait) as t(group_id, count, disconnects, open_after, max_wait)
    order by t.group_id
    on conflict (group_id) do update set
      first_at = case when p.count = 0 then excluded.first_at else p.first_at end,
      last_at = case when p.count = 0 then excluded.last_at else greatest(p.last_at, excluded.last_at) end,
      count = p.count + excluded.count,
      disconnects = p.disconnects + excluded.disconnects,
      due_at = least(
        (case when p.count = 0 then excluded.last_at else greatest(p.last_at, excluded.last_at) end)
          + v_open_after[array_position(p_group, p.group_id)],
        (case when p.count = 0 then excluded.first_at else p.first_at end)
          + v_max_wait[array_position(p_group, p.group_id)])
    returning p.group_id, p.count, p.due_at
  )
  select coalesce(array_agg(distinct u.due_at) filter (where u.count = p_count[array_position(p_group, u.group_id)]), '{}')
  into v_armed from upserted u;
  return v_armed;
end $$;
--> statement-breakpoint
-- As before, with the debounce itself in `arm_groups`, which polls and the end of a mass outage share. `p_fresh`: keys of the
-- observations that are new, null for all.
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
       or (n.type = 'device' and n.linked_at is null and exists (
             select 1 from service v where v.group_name = n.group_name and v.device_id is null and v.retired_at is null))
    group by n.group_id
  )
  select array_agg(g.group_id), array_agg(g.count), array_agg(g.disconnects) into v_group, v_count, v_disconnects from groups g;
  if v_group is null then
    return '{}';
  end if;
  return arm_groups(v_group, v_count, v_disconnects, p_open_after_ms, p_max_wait_ms, p_now);
end $$;
--> statement-breakpoint
-- Whether each subject counts as disconnected, for queries about single ones.
create view subject_told as
select s.id as subject_id,
  told_down(c.disconnected, c.observation_key is not distinct from c.cleared_key,
    case when s.polled_at is not null then (select o.first_received_at from observation o where o.key = c.observation_key) end,
    coalesce(c.suspect_disconnected, false), s.polled_status, s.polled_at) as down
from subject s left join connectivity c on c.subject_id = s.id;
