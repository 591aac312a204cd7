-- How many devices of a source group can be lost: of those that somebody watches, as group_members has it, the ones a service depends
-- on, and the ones that were heard of lately. What nobody watches is never counted as lost, so it is no part of the whole either.
create or replace function count_devices(p_group text) returns integer
language sql stable
as $$
  select count(*)::integer from subject s
  left join connectivity c on c.subject_id = s.id
  cross join (select clock_timestamp() - case when exists (select 1 from poll p where p.answered_at > clock_timestamp() - interval '1 day')
    then interval '1 day' else interval '90 days' end as since) heard
  cross join (select exists (select 1 from source o where o.group_name = p_group and o.watch = 'all' and o.retired_at is null) as everything) w
  cross join (
    select count(*) > 0 as some, coalesce(bool_or(v.device_ref is not null
      and not exists (select 1 from dependency d where d.service_id = v.id and d.device_ref = v.device_ref)), false) as names_unknown
    from service v where v.group_name = p_group and v.device_id is null and v.retired_at is null
  ) u
  where s.group_name = p_group and s.type = 'device' and s.fingerprint_version <> 0
    and (exists (select 1 from dependency d where d.subject_id = s.id)
      or (greatest(s.confirmed_at, s.polled_at, c.moved_at, s.first_seen_at) > heard.since
        and (w.everything or (u.some and (s.linked_at is null or u.names_unknown))
          or exists (select 1 from subject t join dependency d on d.subject_id = t.id where t.device_id = s.id))))
$$;
