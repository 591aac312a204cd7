-- Ticks are 100 ns since the Unix epoch: timestamptz would drop the seventh digit that Localtonet sends. Stable, because
-- extract() is: called immutable it would not be inlined, and be run as a function once per row.
create function ticks_of(moment timestamptz) returns bigint
language sql stable parallel safe
as $$ select (extract(epoch from moment) * 10000000)::bigint $$;
--> statement-breakpoint
-- Finds or makes the subjects of a batch, race-free: insert in sorted order, then read what is there.
create function resolve_subjects(
  p_group text[], p_type text[], p_version integer[], p_fingerprint bytea[], p_alias text[], p_public_id text[], p_sealed_id bytea[]
) returns table (ordinal integer, id bigint, alias text)
language plpgsql
as $$
begin
  insert into subject (alias, type, group_name, fingerprint_version, fingerprint, public_id, sealed_id)
  select distinct on (i.version, i.fingerprint) i.alias, i.type, i.group_name, i.version, i.fingerprint, i.public_id, i.sealed_id
  from unnest(p_group, p_type, p_version, p_fingerprint, p_alias, p_public_id, p_sealed_id)
    as i(group_name, type, version, fingerprint, alias, public_id, sealed_id)
  order by i.version, i.fingerprint
  on conflict (fingerprint_version, fingerprint) do nothing;

  return query
  select i.ordinal::integer, s.id, s.alias
  from unnest(p_version, p_fingerprint) with ordinality as i(version, fingerprint, ordinal)
  join subject s on s.fingerprint_version = i.version and s.fingerprint = i.fingerprint;
end $$;
--> statement-breakpoint
-- Records one group-committed batch. Each statement sees what the locks before it waited for, which one statement of
-- CTEs would not. Lock order: subject, view, gate, pending; rows by id. core/src/record states the same as pure code.
-- The settings hold for what it calls as well: plans are made once per connection, not once per batch, and reach tables by
-- index even where they are small or empty while the plan is made, so that a batch costs the same whatever is stored.
create function record_batch(
  p_delivery uuid[], p_key uuid[], p_subject bigint[], p_source integer[], p_disconnected boolean[],
  p_ticks bigint[], p_zone text[], p_action_date text[], p_sealed_action_date bytea[], p_extra_fields text[], p_extra_unnamed smallint[],
  p_skew_ms bigint, p_open_after_ms integer, p_max_wait_ms integer, p_now timestamptz,
  out repeats boolean[], out armed_due timestamptz[], out shut text[], out verify_due timestamptz[]
)
language plpgsql
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $$
declare
  v_now timestamptz;
  v_trusted_until bigint;
  v_fresh uuid[];
  v_first uuid[];
  v_all_fresh boolean;
begin
  -- An edge change takes these rows for update: it waits for us, or we see its edge.
  perform 1 from subject where id = any(p_subject) order by id for key share;
  v_now := coalesce(p_now, clock_timestamp());
  v_trusted_until := ticks_of(v_now) + p_skew_ms * 10000;

  with inserted as (
    insert into observation (key, subject_id, source_id, status, action_date, sealed_action_date, ticks, zone, trusted,
                             first_delivery_id, first_received_at)
    select distinct on (i.key) i.key, i.subject_id, i.source_id,
           case when i.disconnected then 'disconnected' else 'connected' end, i.action_date, i.sealed_action_date, i.ticks, i.zone,
           coalesce(i.ticks <= v_trusted_until, false), i.delivery, v_now
    from unnest(p_delivery, p_key, p_subject, p_source, p_disconnected, p_ticks, p_zone, p_action_date, p_sealed_action_date)
      as i(delivery, key, subject_id, source_id, disconnected, ticks, zone, action_date, sealed_action_date)
    order by i.key, i.delivery
    on conflict (key) do nothing
    returning key, first_delivery_id
  )
  select coalesce(array_agg(key), '{}'), coalesce(array_agg(first_delivery_id), '{}') into v_fresh, v_first from inserted;
  v_all_fresh := cardinality(v_fresh) = cardinality(p_key);

  insert into delivery (id, observation_key, source_id, received_at, extra_fields, extra_unnamed)
  select i.id, i.key, i.source_id, v_now, i.extra_fields, i.extra_unnamed
  from unnest(p_delivery, p_key, p_source, p_extra_fields, p_extra_unnamed) as i(id, key, source_id, extra_fields, extra_unnamed)
  order by i.id
  on conflict (id) do nothing;

  if cardinality(v_fresh) > 0 then
    insert into connectivity as c (subject_id, ticks, disconnected, observation_key, suspect_disconnected, suspect_connected, moved_at)
    select b.subject_id, b.ticks, b.disconnected, b.key, b.suspect_disconnected, b.suspect_connected, v_now
    from (
      select distinct on (o.subject_id) o.subject_id,
             case when o.trusted then o.ticks end as ticks,
             case when o.trusted then o.disconnected end as disconnected,
             case when o.trusted then o.key end as key,
             bool_or(not o.trusted and o.disconnected) over whole as suspect_disconnected,
             bool_or(not o.trusted and not o.disconnected) over whole as suspect_connected
      from (
        select i.*, coalesce(i.ticks <= v_trusted_until, false) as trusted
        from unnest(p_delivery, p_key, p_subject, p_disconnected, p_ticks) as i(delivery, key, subject_id, disconnected, ticks)
        where v_all_fresh or i.delivery = any(v_first)
      ) o
      window whole as (partition by o.subject_id)
      order by o.subject_id, o.trusted desc, o.ticks desc, o.disconnected desc, o.key desc
    ) b
    order by b.subject_id
    on conflict (subject_id) do update set
      (ticks, disconnected, observation_key) = (
        select case when n.newer then excluded.ticks else c.ticks end,
               case when n.newer then excluded.disconnected else c.disconnected end,
               case when n.newer then excluded.observation_key else c.observation_key end
        from (values (c.ticks is null or (excluded.ticks, excluded.disconnected, excluded.observation_key)
                                         > (c.ticks, c.disconnected, c.observation_key))) as n(newer)),
      suspect_disconnected = c.suspect_disconnected or excluded.suspect_disconnected,
      suspect_connected = c.suspect_connected or excluded.suspect_connected,
      moved_at = excluded.moved_at;
  end if;

  select g.shut, g.verify_due into shut, verify_due
  from move_gates(p_subject, p_disconnected, p_ticks, p_zone, p_skew_ms, v_now) g;
  armed_due := arm_pending(p_key, p_subject, p_source, p_disconnected, case when not v_all_fresh then v_fresh end,
    p_open_after_ms, p_max_wait_ms, v_now);

  if v_all_fresh then
    repeats := array_fill(false, array[cardinality(p_key)]);
  else
    select array_agg(o.first_delivery_id <> i.delivery order by i.ordinal) into repeats
    from unnest(p_delivery, p_key) with ordinality as i(delivery, key, ordinal)
    join observation o on o.key = i.key
    where o.key = any(p_key);
  end if;
end $$;
--> statement-breakpoint
-- Which services a delivery about these subjects touches: by an edge, or, for a token no device is linked to yet, every
-- service of its group that has no device yet either.
create function services_touched(p_subject bigint[])
returns table (subject_id bigint, service_id integer)
language sql stable
as $$
  select d.subject_id, d.service_id from dependency d where d.subject_id = any(p_subject)
  union
  select t.id, s.id
  from (select id, group_name from subject where id = any(p_subject) and type = 'device' and linked_at is null offset 0) t
  join service s on s.group_name = t.group_name and s.device_id is null and s.retired_at is null
$$;
--> statement-breakpoint
-- Shuts the gates of every Disconnected delivery, first or repeated, and wakes verification for every Connected one.
-- The only exemption is read from the gate row while it is locked: evidence older than the verification that opened it.
create function move_gates(
  p_subject bigint[], p_disconnected boolean[], p_ticks bigint[], p_zone text[], p_skew_ms bigint, p_now timestamptz,
  out shut text[], out verify_due timestamptz[]
)
language plpgsql
as $$
declare
  v_service integer[];
  v_unplaced boolean[];
  v_ticks bigint[];
  v_disconnects boolean[];
  v_connects boolean[];
begin
  select array_agg(x.service_id), array_agg(x.unplaced), array_agg(x.ticks), array_agg(x.disconnects), array_agg(x.connects)
  into v_service, v_unplaced, v_ticks, v_disconnects, v_connects
  from (
    select t.service_id,
           bool_or(i.disconnected and (i.ticks is null or i.zone = 'assumed')) as unplaced,
           max(i.ticks) filter (where i.disconnected) as ticks,
           bool_or(i.disconnected) as disconnects,
           bool_or(not i.disconnected) as connects
    from unnest(p_subject, p_disconnected, p_ticks, p_zone) as i(subject_id, disconnected, ticks, zone)
    join services_touched(p_subject) t on t.subject_id = i.subject_id
    group by t.service_id
  ) x;
  shut := '{}';
  verify_due := '{}';
  if v_service is null then
    return;
  end if;

  perform 1 from gate g where g.service_id = any(v_service) order by g.service_id for no key update;

  if true = any(v_disconnects) then
    with moved as (
      update gate g set
        state = 'held',
        reason = case when g.reason = 'held_by_hand' then g.reason else 'disconnected' end,
        generation = g.generation + 1,
        since = case when g.state in ('open', 'releasing') then p_now else g.since end,
        verify_due_at = case when g.reason = 'held_by_hand' then null
          else least(coalesce(g.verify_due_at, 'infinity'), p_now + make_interval(secs => s.verify_every_ms / 1000.0)) end,
        verify_run = null,
        passes = 0,
        opened_by = null,
        opened_by_started_at = null
      from unnest(v_service, v_unplaced, v_ticks, v_disconnects) as x(service_id, unplaced, ticks, disconnects)
      join service s on s.id = x.service_id
      where g.service_id = x.service_id and x.disconnects
        and (x.unplaced or g.opened_by_started_at is null or x.ticks + p_skew_ms * 10000 >= ticks_of(g.opened_by_started_at))
      returning s.name, g.since, g.verify_due_at
    )
    select coalesce(array_agg(name) filter (where since = p_now), '{}'), coalesce(array_agg(distinct verify_due_at) filter (where verify_due_at is not null), '{}')
    into shut, verify_due from moved;
  end if;

  if true = any(v_connects) then
    with woken as (
      update gate g set
        verify_due_at = case when g.state = 'held' and g.reason <> 'held_by_hand' then p_now else g.verify_due_at end,
        verify_attempt = 0
      from unnest(v_service, v_connects) as x(service_id, connects)
      where g.service_id = x.service_id and x.connects and g.state in ('held', 'verifying')
      returning g.verify_due_at
    )
    select verify_due || coalesce(array_agg(distinct verify_due_at) filter (where verify_due_at is not null), '{}') into verify_due from woken;
  end if;
end $$;
--> statement-breakpoint
-- Arms the correlator: one row per group, its deadline pushed by each observation but never past first + max wait (I10).
-- `p_fresh`: keys of the observations that are new, null for all.
create function arm_pending(
  p_key uuid[], p_subject bigint[], p_source integer[], p_disconnected boolean[], p_fresh uuid[],
  p_open_after_ms integer, p_max_wait_ms integer, p_now timestamptz
) returns timestamptz[]
language plpgsql
as $$
declare
  v_group bigint[];
  v_count integer[];
  v_disconnects integer[];
  v_open_after interval[];
  v_max_wait interval[];
  v_armed timestamptz[];
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
  select array_agg(g.group_id), array_agg(g.count), array_agg(g.disconnects),
         array_agg(make_interval(secs => coalesce(w.open_after_ms, p_open_after_ms) / 1000.0)),
         array_agg(make_interval(secs => coalesce(w.max_wait_ms, p_max_wait_ms) / 1000.0))
  into v_group, v_count, v_disconnects, v_open_after, v_max_wait
  from groups g
  left join lateral (
    select min(v.open_after_ms) as open_after_ms, min(v.max_wait_ms) as max_wait_ms
    from dependency d join service v on v.id = d.service_id
    where d.subject_id = g.group_id
  ) w on true;
  if v_group is null then
    return '{}';
  end if;

  with upserted as (
    insert into pending as p (group_id, first_at, last_at, count, disconnects, due_at)
    select t.group_id, p_now, p_now, t.count, t.disconnects, p_now + least(t.open_after, t.max_wait)
    from unnest(v_group, v_count, v_disconnects, v_open_after, v_max_wait) as t(group_id, count, disconnects, open_after, max_wait)
    order by t.group_id
    on conflict (group_id) do update set
      last_at = greatest(p.last_at, excluded.last_at),
      count = p.count + excluded.count,
      disconnects = p.disconnects + excluded.disconnects,
      due_at = least(
        greatest(p.last_at, excluded.last_at) + v_open_after[array_position(v_group, p.group_id)],
        p.first_at + v_max_wait[array_position(v_group, p.group_id)])
    returning p.due_at, (xmax = 0) as armed
  )
  select coalesce(array_agg(distinct due_at) filter (where armed), '{}') into v_armed from upserted;
  return v_armed;
end $$;
