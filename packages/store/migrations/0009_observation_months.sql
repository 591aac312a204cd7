-- Observations and deliveries by month. An observation's key is drawn from the fact, so no month can keep it unique: that is
-- what observation_key is for. A delivery's id begins with its time, so a range of ids is a month and the id stays the key.
ALTER TABLE "observation" RENAME TO "observation_whole";
--> statement-breakpoint
ALTER TABLE "delivery" RENAME TO "delivery_whole";
--> statement-breakpoint
CREATE TABLE "observation_key" (
	"key" uuid NOT NULL,
	"first_delivery_id" uuid NOT NULL,
	"first_received_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "observation" (
	"month" date NOT NULL,
	"key" uuid NOT NULL,
	"subject_id" bigint NOT NULL,
	"source_id" integer NOT NULL,
	"status" text NOT NULL,
	"action_date" text,
	"sealed_action_date" "bytea",
	"ticks" bigint,
	"zone" text,
	"trusted" boolean NOT NULL,
	"first_received_at" timestamp with time zone NOT NULL
) PARTITION BY LIST ("month");
--> statement-breakpoint
CREATE TABLE "delivery" (
	"id" uuid NOT NULL,
	"observation_key" uuid NOT NULL,
	"source_id" integer NOT NULL,
	"received_at" timestamp with time zone NOT NULL,
	"extra_fields" text,
	"extra_unnamed" smallint DEFAULT 0 NOT NULL
) PARTITION BY RANGE ("id");
--> statement-breakpoint
-- What outlives its month because something still refers to it.
CREATE TABLE "observation_kept" PARTITION OF "observation" FOR VALUES IN ('-infinity');
--> statement-breakpoint
-- What comes while its month has no partition: an insert never fails for want of one (I1).
CREATE TABLE "observation_default" PARTITION OF "observation" DEFAULT;
--> statement-breakpoint
CREATE TABLE "delivery_default" PARTITION OF "delivery" DEFAULT;
--> statement-breakpoint
create function month_of(moment timestamptz) returns date
language sql immutable parallel safe
as $$ select date_trunc('month', moment at time zone 'UTC')::date $$;
--> statement-breakpoint
-- The least UUID of version 7 that may be made from this day (UTC) on.
create function first_uuid_of(day date) returns uuid
language sql immutable parallel safe
as $$ select rpad(lpad(to_hex((extract(epoch from day) * 1000)::bigint), 12, '0'), 32, '0')::uuid $$;
--> statement-breakpoint
-- Makes the partition of a month for `observation` or `delivery`, unless it is there; what came to the default partition
-- before is moved into it. Attaching leaves the partitions that are being written to alone. A month of which so much has come
-- already that moving it would stop recording for long stays where it is, and is pruned there row by row.
create function create_month(p_table text, p_month date) returns boolean
language plpgsql
set lock_timeout = '100ms'
as $$
declare
  v_default text := p_table || '_default';
  v_name text := p_table || to_char(p_month, '_YYYY_MM');
  v_next date := (p_month + interval '1 month')::date;
  v_rows text := format('month = %L', p_month);
  v_bounds text := format('in (%L)', p_month);
  v_came integer;
begin
  if to_regclass(v_name) is not null then
    return false;
  end if;
  if p_table = 'delivery' then
    v_rows := format('id >= %L and id < %L', first_uuid_of(p_month), first_uuid_of(v_next));
    v_bounds := format('from (%L) to (%L)', first_uuid_of(p_month), first_uuid_of(v_next));
  end if;
  execute format('select count(*) from (select 1 from %I where %s limit 10001) x', v_default, v_rows) into v_came;
  if v_came > 10000 then
    return false;
  end if;
  execute format('create table %I (like %I including all)', v_name, p_table);
  execute format('lock table %I in access exclusive mode', v_default);
  execute format('with came as (delete from %I where %s returning *) insert into %I select * from came', v_default, v_rows, v_name);
  execute format('alter table %I attach partition %I for values %s', p_table, v_name, v_bounds);
  return true;
end $$;
--> statement-breakpoint
-- The months there is something of, this one and two ahead.
do $$
declare
  v_month date;
begin
  for v_month in
    select distinct month_of(first_received_at) from observation_whole
    union select distinct month_of(received_at) from delivery_whole
    union select (month_of(now()) + n * interval '1 month')::date from generate_series(0, 2) n
  loop
    perform create_month('observation', v_month);
    perform create_month('delivery', v_month);
  end loop;
end $$;
--> statement-breakpoint
insert into observation_key (key, first_delivery_id, first_received_at)
select key, first_delivery_id, first_received_at from observation_whole order by key;
--> statement-breakpoint
insert into observation (month, key, subject_id, source_id, status, action_date, sealed_action_date, ticks, zone, trusted, first_received_at)
select month_of(first_received_at), key, subject_id, source_id, status, action_date, sealed_action_date, ticks, zone, trusted, first_received_at
from observation_whole order by first_received_at;
--> statement-breakpoint
insert into delivery (id, observation_key, source_id, received_at, extra_fields, extra_unnamed)
select id, observation_key, source_id, received_at, extra_fields, extra_unnamed from delivery_whole order by id;
--> statement-breakpoint
create or replace view subject_told as
select s.id as subject_id,
  told_down(c.disconnected, c.observation_key is not distinct from c.cleared_key,
    case when s.polled_at is not null then (select k.first_received_at from observation_key k where k.key = c.observation_key) end,
    coalesce(c.suspect_disconnected, false), s.polled_status, s.polled_at) as down
from subject s left join connectivity c on c.subject_id = s.id;
--> statement-breakpoint
DROP TABLE "observation_whole";
--> statement-breakpoint
DROP TABLE "delivery_whole";
--> statement-breakpoint
ALTER TABLE "observation_key" ADD PRIMARY KEY ("key");
--> statement-breakpoint
ALTER TABLE "observation" ADD CONSTRAINT "observation_pkey" PRIMARY KEY ("first_received_at","key","month");
--> statement-breakpoint
CREATE INDEX "observation_subject" ON "observation" USING btree ("subject_id","ticks");
--> statement-breakpoint
CREATE INDEX "observation_sealed" ON "observation" USING btree ("key") WHERE sealed_action_date is not null;
--> statement-breakpoint
ALTER TABLE "delivery" ADD PRIMARY KEY ("id");
--> statement-breakpoint
CREATE INDEX "delivery_observation" ON "delivery" USING btree ("observation_key");
--> statement-breakpoint
-- As before, except that what makes a fact new is a claim in observation_key, which knows no months. Records one
-- group-committed batch. Each statement sees what the locks before it waited for, which one statement of CTEs would not. Lock
-- order: subject, view, gate, pending; rows by id. core/src/record states the same as pure code. The settings hold for what it
-- calls as well: plans are made once per connection, not once per batch, and reach tables by index even where they are small
-- or empty while the plan is made, so that a batch costs the same whatever is stored.
create or replace function record_batch(
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

  with claimed as (
    insert into observation_key (key, first_delivery_id, first_received_at)
    select distinct on (i.key) i.key, i.delivery, v_now
    from unnest(p_delivery, p_key) as i(delivery, key)
    order by i.key, i.delivery
    on conflict (key) do nothing
    returning key, first_delivery_id
  )
  select coalesce(array_agg(key), '{}'), coalesce(array_agg(first_delivery_id), '{}') into v_fresh, v_first from claimed;
  v_all_fresh := cardinality(v_fresh) = cardinality(p_key);

  if cardinality(v_fresh) > 0 then
    insert into observation (month, key, subject_id, source_id, status, action_date, sealed_action_date, ticks, zone, trusted,
                             first_received_at)
    select month_of(v_now), i.key, i.subject_id, i.source_id,
           case when i.disconnected then 'disconnected' else 'connected' end, i.action_date, i.sealed_action_date, i.ticks, i.zone,
           coalesce(i.ticks <= v_trusted_until, false), v_now
    from unnest(p_delivery, p_key, p_subject, p_source, p_disconnected, p_ticks, p_zone, p_action_date, p_sealed_action_date)
      as i(delivery, key, subject_id, source_id, disconnected, ticks, zone, action_date, sealed_action_date)
    where v_all_fresh or i.delivery = any(v_first);
  end if;

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
    select array_agg(k.first_delivery_id <> i.delivery order by i.ordinal) into repeats
    from unnest(p_delivery, p_key) with ordinality as i(delivery, key, ordinal)
    join observation_key k on k.key = i.key
    where k.key = any(p_key);
  end if;
end $$;
--> statement-breakpoint
-- As before; since when an observation is known is asked of observation_key.
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
