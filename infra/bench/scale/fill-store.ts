import type { Sql } from '@tidegate/store';

/** Months before this one that hold observations, as under the default retention. */
const MONTHS_BACK = 3;
/** No statement may be silent for so long that its connection counts as lost. */
const CHUNK = 25_000;

/**
 * Stores observations until there are `total`, spread evenly over the subjects and over this month and the three before it,
 * every tenth delivered twice; each subject's view is its last one. Fills tables directly, then lets Postgres tidy up and count.
 */
export async function fillStore(
  sql: Sql,
  sourceId: number,
  subjectIds: readonly number[],
  total: number,
): Promise<void> {
  await sql`
    select create_month(t, (month_of(now()) - n * interval '1 month')::date)
    from unnest(array['observation', 'delivery']) t, generate_series(0, ${MONTHS_BACK}::int) n`;
  const [stored] = await sql<{ rows: number }[]>`select count(*)::int as rows from observation_key`;
  for (let from = stored?.rows ?? 0; from < total; from += CHUNK) {
    await fillChunk(sql, sourceId, subjectIds, { from, to: Math.min(from + CHUNK, total), total });
  }
  await sql`
    insert into connectivity (subject_id, ticks, disconnected, observation_key, moved_at)
    select s.id, o.ticks, o.status = 'disconnected', o.key, o.first_received_at
    from unnest(${[...subjectIds]}::bigint[]) s(id) cross join lateral (
      select * from observation where subject_id = s.id and trusted order by ticks desc, status desc, key desc limit 1) o
    on conflict (subject_id) do update set
      (ticks, disconnected, observation_key, moved_at) = (excluded.ticks, excluded.disconnected, excluded.observation_key, excluded.moved_at)`;
  for (const table of ['observation_key', 'observation', 'delivery', 'connectivity'])
    await sql`vacuum analyze ${sql(table)}`;
}

/** Drawn at random where rows would be, so that no index is filled in an order that flatters it. */
async function fillChunk(
  sql: Sql,
  sourceId: number,
  subjectIds: readonly number[],
  { from, to, total }: { from: number; to: number; total: number },
): Promise<void> {
  await sql`
    with made as (
      select gen_random_uuid() as key, n, (${[...subjectIds]}::bigint[])[1 + n % ${subjectIds.length}] as subject_id,
        now() - (${total} - n) * (now() - (month_of(now()) - ${MONTHS_BACK} * interval '1 month')) / ${total + 1} as at
      from generate_series(${from}::int, ${to - 1}::int) n
    ), observed as (
      insert into observation (month, key, subject_id, source_id, status, action_date, ticks, zone, trusted, first_received_at)
      select month_of(at), key, subject_id, ${sourceId}, case when n / ${subjectIds.length} % 2 = 0 then 'disconnected' else 'connected' end,
        to_char(at, 'YYYY-MM-DD"T"HH24:MI:SS.US"0Z"'), ticks_of(at), 'utc', true, at
      from made
    ), told as materialized (
      select m.key, m.at, x.again, overlay(gen_random_uuid()::text placing left(lpad(to_hex((extract(epoch from m.at) * 1000)::bigint), 12, '0'), 8)
        || '-' || right(lpad(to_hex((extract(epoch from m.at) * 1000)::bigint), 12, '0'), 4) || '-7' from 1 for 15)::uuid as id
      from made m cross join lateral (select again from generate_series(0, case when m.n % 10 = 0 then 1 else 0 end) again) x
    ), known as (
      insert into observation_key (key, first_delivery_id, first_received_at)
      select key, id, at from told where again = 0
    )
    insert into delivery (id, observation_key, source_id, received_at) select id, key, ${sourceId}, at from told`;
}
