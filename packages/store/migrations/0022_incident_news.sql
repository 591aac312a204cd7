-- Whoever changes an incident leaves, in the same transaction, a note that there may be something to tell. The notify room looks at
-- the notes; a process that is killed in between loses nothing, since the note is committed with the change or not at all.
create function note_incident_news() returns trigger
  language plpgsql as
$$
begin
  insert into notice (thread, incident_id, due_at) values (new.id, new.id, clock_timestamp())
  on conflict (thread) do update set due_at = clock_timestamp();
  return null;
end
$$;
--> statement-breakpoint
create trigger incident_opens after insert on incident for each row execute function note_incident_news();
--> statement-breakpoint
create trigger incident_changes after update on incident for each row
  when ((old.state, old.kind, old.reopened, old.summary, old.first_broken, old.merged_into, old.acknowledged_by)
    is distinct from (new.state, new.kind, new.reopened, new.summary, new.first_broken, new.merged_into, new.acknowledged_by))
  execute function note_incident_news();
