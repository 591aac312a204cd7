import type { Sql } from '../database/connect.ts';
import { toStoreError } from '../database/store-error.ts';

/** More of a kind than this are counted as this many. */
const MOST_COUNTED = 200;

/**
 * A text that differs whenever something that the pages show has changed. It is made of what indexes answer at once, since
 * it is asked for every second while anybody looks. Callbacks are counted where a gate is not open; of those behind an open
 * one only what needs a person makes a difference.
 * @param silentAfterMs how long a receiver may be silent
 */
export async function readChangeMark(sql: Sql, silentAfterMs: number): Promise<string> {
  try {
    const [row] = await sql<{ mark: string }[]>`
      select md5(concat_ws('|',
        -- An event that commits late has a small id: it is found by being counted, or by its number.
        (select last_number from event_counter), (select max(id) from event),
        (select count(*) from (select 1 from event where number is null limit ${MOST_COUNTED}) x),
        (select max(finished_at) from verification),
        (select max(first_received_at) from observation),
        (select md5(string_agg(concat_ws(',', service_id, state, reason, generation, passes, hand), ';' order by service_id)) from gate),
        (select count(*) filter (where ended_at is null and expires_at > clock_timestamp()) from silence),
        (select string_agg(concat(r.id, r.heartbeat_at + make_interval(secs => ${silentAfterMs}::float8 / 1000.0) <= clock_timestamp()), ';' order by r.id)
          from receiver r where r.retired_at is null),
        (select concat(failures > 0, answered_at is null) from poll),
        (select string_agg(concat_ws(',', g.service_id, t.state, n.count), ';' order by g.service_id, t.state)
          from gate g cross join (values ('held'), ('ambiguous'), ('retrying')) t(state)
          cross join lateral (select count(*) from (
            select 1 from callback c where c.service_id = g.service_id and c.state = t.state limit ${MOST_COUNTED}) x) n
          where g.state <> 'open'))) as mark`;
    return row?.mark ?? '';
  } catch (error) {
    throw toStoreError(error);
  }
}
