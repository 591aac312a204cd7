insert into event_counter default values on conflict do nothing;
--> statement-breakpoint
-- Every sentence of a timeline is an event, but those about gates: a gate tells of itself, in the transaction that moves it.
create function tell_timeline() returns trigger
language plpgsql
as $$
begin
  insert into event (at, event, incident_id, service, why)
  select n.at, n.event, n.incident_id, n.service, n.why from new_entries n where n.event not like 'gate.%' order by n.id;
  return null;
end $$;
--> statement-breakpoint
create trigger timeline_is_told after insert on timeline_entry
  referencing new table as new_entries for each statement execute function tell_timeline();
--> statement-breakpoint
-- The incident is the one that is open while the gate moves: what opens a gate ends it later in the same transaction.
create function tell_gate() returns trigger
language plpgsql
as $$
begin
  insert into event (at, event, incident_id, service, reason, actor, words)
  select clock_timestamp(),
         case when new.hand is distinct from old.hand and new.hand = 'open' then 'gate.forced_open'
              when new.hand is distinct from old.hand and new.hand = 'held' then 'gate.held_by_hand'
              when new.state in ('open', 'releasing') then 'gate.opened'
              else 'gate.held' end,
         (select i.id from incident_service x join incident i on i.id = x.incident_id
           where x.service_id = new.service_id and i.state <> 'resolved' order by i.opened_at desc, i.id limit 1),
         s.name, new.reason, new.hand_actor, new.hand_reason
  from service s where s.id = new.service_id;
  return null;
end $$;
--> statement-breakpoint
create trigger gate_is_told after update on gate for each row
  when ((old.state in ('open', 'releasing')) is distinct from (new.state in ('open', 'releasing')) or old.hand is distinct from new.hand)
  execute function tell_gate();
--> statement-breakpoint
create function tell_review() returns trigger
language plpgsql
as $$
begin
  insert into event (at, event, incident_id, service, callback_id, reason)
  select clock_timestamp(), case when new.state = 'needs_review' then 'callback.needs_review' else 'callback.reviewed' end,
         (select i.id from incident_service x join incident i on i.id = x.incident_id
           where x.service_id = new.service_id and i.state <> 'resolved' order by i.opened_at desc, i.id limit 1),
         s.name, new.id, new.state
  from service s where s.id = new.service_id;
  return null;
end $$;
--> statement-breakpoint
create trigger review_is_told after update on callback for each row
  when ((old.state = 'needs_review') is distinct from (new.state = 'needs_review'))
  execute function tell_review();
--> statement-breakpoint
-- Numbers what is committed and has no number yet, in the order of writing. Whoever holds the counter's row is the one writer:
-- who comes meanwhile leaves it to him. The update takes a snapshot of its own, after the row is locked, so it sees every number
-- given before. What commits late is numbered late, and never behind a number that somebody has read.
create function number_events(p_most integer) returns integer
language plpgsql
as $$
declare
  v_last bigint;
  v_count integer;
begin
  if not exists (select 1 from event where number is null) then
    return 0;
  end if;
  select last_number into v_last from event_counter for update skip locked;
  if v_last is null then
    return 0;
  end if;
  update event e set
    number = v_last + n.rank,
    services = coalesce(e.services, case when e.service is not null then array[e.service] else (
      select coalesce(array_agg(s.name order by s.name), '{}') from incident_service x join service s on s.id = x.service_id
      where x.incident_id = e.incident_id) end)
  from (
    select w.id, row_number() over (order by w.id) as rank
    from (select id from event where number is null order by id limit p_most) w
  ) n
  where e.id = n.id;
  get diagnostics v_count = row_count;
  update event_counter set last_number = v_last + v_count;
  return v_count;
end $$;
