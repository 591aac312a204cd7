insert into fingerprint (version, value, subject_id)
select fingerprint_version, fingerprint, id from subject order by fingerprint_version, fingerprint
on conflict do nothing;
--> statement-breakpoint
drop function resolve_subjects(text[], text[], integer[], bytea[], text[], text[], bytea[]);
--> statement-breakpoint
-- Finds or makes the subjects of a batch, race-free. An item is found by any of its fingerprints: the current one (p_version,
-- p_fingerprint) or one under another live key (p_other_*, with the item's place in the batch). All of them are claimed in
-- sorted order before the subject is made: of processes that hold different keys, the first to claim a shared one wins.
create function resolve_subjects(
  p_group text[], p_type text[], p_version integer[], p_fingerprint bytea[], p_alias text[], p_public_id text[], p_sealed_id bytea[],
  p_other_item integer[] default '{}', p_other_version integer[] default '{}', p_other_fingerprint bytea[] default '{}'
) returns table (ordinal integer, id bigint, alias text)
language plpgsql
as $$
#variable_conflict use_column
declare
  v_item integer[] := array(select generate_subscripts(p_version, 1)) || p_other_item;
  v_version integer[] := p_version || p_other_version;
  v_value bytea[] := p_fingerprint || p_other_fingerprint;
  v_known bigint[];
  v_id bigint[];
  v_owner bigint[];
begin
  select array_agg(k.subject_id order by k.item) into v_known from (
    select n.item, min(f.subject_id) as subject_id
    from unnest(v_item, v_version, v_value) as n(item, version, value)
    left join fingerprint f on f.version = n.version and f.value = n.value
    group by n.item
  ) k;
  select array_agg(coalesce(k.subject_id, nextval(pg_get_serial_sequence('subject', 'id'))) order by k.item) into v_id
  from unnest(v_known) with ordinality as k(subject_id, item);

  -- Of a subject that is known, this also writes down what a rotation added.
  insert into fingerprint (version, value, subject_id)
  select n.version, n.value, v_id[n.item] from unnest(v_item, v_version, v_value) as n(item, version, value)
  order by n.version, n.value, n.item
  on conflict (version, value) do nothing;

  -- Whoever else claimed any of an item's fingerprints first has made the subject, and is committed by now. A batch may name
  -- one subject twice, under the keys before and after a reload; then the first of the two has claimed what they share.
  select array_agg(coalesce(v_known[o.item], o.outsider, o.mate, v_id[o.item]) order by o.item) into v_owner from (
    select n.item,
           min(f.subject_id) filter (where f.subject_id <> all(v_id)) as outsider,
           min(f.subject_id) filter (where f.subject_id <> v_id[n.item]) as mate
    from unnest(v_item, v_version, v_value) as n(item, version, value)
    join fingerprint f on f.version = n.version and f.value = n.value
    group by n.item
  ) o;
  update fingerprint f set subject_id = v_owner[n.item]
  from unnest(v_item, v_version, v_value) as n(item, version, value)
  where f.version = n.version and f.value = n.value and f.subject_id = v_id[n.item] and v_owner[n.item] <> v_id[n.item];
  select array_agg(coalesce(v_known[o.item], o.subject_id) order by o.item) into v_owner from (
    select n.item, min(f.subject_id) as subject_id
    from unnest(v_item, v_version, v_value) as n(item, version, value)
    join fingerprint f on f.version = n.version and f.value = n.value
    group by n.item
  ) o;

  insert into subject (id, alias, type, group_name, fingerprint_version, fingerprint, public_id, sealed_id)
  overriding system value
  select i.id, i.alias, i.type, i.group_name, i.version, i.fingerprint, i.public_id, i.sealed_id
  from unnest(v_id, v_known, v_owner, p_group, p_type, p_version, p_fingerprint, p_alias, p_public_id, p_sealed_id)
    as i(id, known, owner, group_name, type, version, fingerprint, alias, public_id, sealed_id)
  where i.known is null and i.owner = i.id
  order by i.id;

  return query
  select o.item::integer, s.id, s.alias
  from unnest(v_owner) with ordinality as o(subject_id, item)
  join subject s on s.id = o.subject_id;
end $$;
--> statement-breakpoint
-- As before, and obeys the hand: a gate held by hand stays held for its own reason, and a gate forced open stays open. Both
-- get a new generation, and a forced gate loses what proved it, so that its incident cannot end on old evidence.
create or replace function move_gates(
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
        state = case when g.hand = 'open' then g.state else 'held' end,
        reason = case when g.hand is null then 'disconnected' else g.reason end,
        generation = g.generation + 1,
        since = case when g.hand is null and g.state in ('open', 'releasing') then p_now else g.since end,
        verify_due_at = case when g.hand = 'held' then null
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
        verify_due_at = case when g.state <> 'verifying' and g.hand is distinct from 'held' then p_now else g.verify_due_at end,
        verify_attempt = 0
      from unnest(v_service, v_connects) as x(service_id, connects)
      where g.service_id = x.service_id and x.connects and (g.state in ('held', 'verifying') or g.hand = 'open')
      returning g.verify_due_at
    )
    select verify_due || coalesce(array_agg(distinct verify_due_at) filter (where verify_due_at is not null), '{}') into verify_due from woken;
  end if;
end $$;
--> statement-breakpoint
-- The trail can only grow. Whoever owns the table can drop this trigger, and then `tidegate audit verify` finds what was done.
create function refuse_audit_change() returns trigger
language plpgsql
as $$
begin
  raise exception 'the audit trail is append-only' using errcode = 'restrict_violation';
end $$;
--> statement-breakpoint
create trigger audit_is_append_only before update or delete on audit for each row execute function refuse_audit_change();
--> statement-breakpoint
create trigger audit_is_not_truncated before truncate on audit for each statement execute function refuse_audit_change();
