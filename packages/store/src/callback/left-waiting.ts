import type { Sql } from '../database/connect.ts';

/**
 * SQL for callback `c`: it waits, and nothing is being done about it. What is ambiguous waits only behind a shut gate: behind an
 * open one it is reconciled, and a lookup that has begun may still tell.
 */
function waits(sql: Sql) {
  return sql`(c.state in ('queued', 'held', 'retrying', 'ambiguous') and (c.state <> 'ambiguous' or (c.due_at is null
    and not exists (select 1 from gate g where g.service_id = c.service_id and g.state in ('open', 'releasing')))))`;
}

/** SQL for callback `c`: it waits, and has a deadline, passed or not. */
export function waitsUntil(sql: Sql) {
  return sql`(c.deadline_at is not null and ${waits(sql)})`;
}

/**
 * SQL: the ids of callbacks that wait for a service which the config no longer names: its gate stays shut for good. Asked all
 * the time, so by the few services that are retired, if any: a join would read every callback there is to find none.
 */
export function stranded(sql: Sql) {
  return sql`select w.id from service s
    cross join lateral (select c.id from callback c where c.service_id = s.id and ${waits(sql)} offset 0) w where s.retired_at is not null`;
}
