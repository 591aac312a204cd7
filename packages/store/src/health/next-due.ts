import { stranded, waitsUntil } from '../callback/left-waiting.ts';
import type { Sql } from '../database/connect.ts';
import { toStoreError } from '../database/store-error.ts';
import { differing } from '../notification/note-reviews.ts';

export interface NextDue {
  /** Postgres' clock, which set the due times. */
  readonly now: Date;
  readonly correlate: Date | null;
  readonly verify: Date | null;
  readonly release: Date | null;
  readonly notify: Date | null;
}

/** The earliest row waiting in each room; the sweeper wakes a room whose time has passed, whatever became of its job. */
export async function nextDue(sql: Sql): Promise<NextDue> {
  try {
    const [row] = await sql<NextDue[]>`
      select clock_timestamp() as now, least((select min(due_at) from pending), ${mayBeMass(sql)}) as correlate,
        (select min(verify_due_at) from gate) as verify,
        least((select min(due_at) from callback where due_at is not null), (select min(lease_until) from attempt where finished_at is null),
          (select min(c.deadline_at) from callback c where ${waitsUntil(sql)}),
          (select statement_timestamp() where exists (${stranded(sql)})),
          (select clock_timestamp() from callback c join gate g on g.service_id = c.service_id
           where (c.state = 'held' or (c.state = 'ambiguous' and c.reconciliation_id is null)) and g.state in ('open', 'releasing') limit 1),
          -- A worker that died between the last delivery and the end of its release left the gate so.
          (select clock_timestamp() from gate where state = 'releasing' limit 1)) as release,
        least((select min(due_at) from notice where due_at is not null), ${sendable(sql)},
          (select min(repeat_at) from notification where repeat_at is not null),
          (select clock_timestamp() from (${differing(sql)}) d limit 1)) as notify`;
    if (row === undefined) throw new Error('a select without from answered no row');
    return row;
  } catch (error) {
    throw toStoreError(error);
  }
}

/** What waits behind another of its thread, or for a channel that is left alone, is not late. */
function sendable(sql: Sql) {
  return sql`(
    select min(case when n.kind = 'test' then n.due_at else greatest(n.due_at, c.paused_until) end)
    from notification n join notify_channel c on c.name = n.channel and c.removed_at is null
    where n.due_at is not null
      and not exists (select 1 from notification e where e.thread = n.thread and e.channel = n.channel and e.seq < n.seq and e.ended_at is null))`;
}

/** Now, while more than one group dropped and is not decided, or one while a mass outage is open; it must not wait. */
function mayBeMass(sql: Sql) {
  return sql`(
    select clock_timestamp() from (select 1 from pending where disconnects > 0 limit 2) x
    having count(*) > 1 or (count(*) = 1 and exists (select 1 from incident where mass_group is not null and state <> 'resolved')))`;
}
