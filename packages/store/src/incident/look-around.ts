import type { Transaction } from '../database/connect.ts';

/** Any two correlators of one source group must meet on the same first number. */
const LOCK = 7_413_003;

/** A source group that this transaction alone correlates until it ends. */
export interface WatchedSourceGroup {
  readonly name: string;
  /** Its open mass incident. */
  readonly mass: string | null;
  /** Something of it dropped and was not decided yet, and more did or was told before: a mass outage may be beginning. */
  readonly several: boolean;
}

/**
 * Finds the source groups with something to decide, and takes each for this transaction: of two workers that both look at
 * one, the second leaves it alone. Else a device could open an incident of its own beside the mass outage that another
 * worker is just opening. Advisory locks come before every row lock, and nobody waits for one.
 */
export async function lookAround(tx: Transaction): Promise<WatchedSourceGroup[]> {
  const found = await tx<(WatchedSourceGroup & { due: boolean; dropped: number })[]>`
    select o.name, m.id as mass, x.dropped + x.told > 1 and x.dropped > 0 as several, x.dropped,
      exists (select 1 from pending p join subject s on s.id = p.group_id
               where p.due_at <= clock_timestamp() and s.group_name = o.name) as due
    from (
      select group_name as name from source
      -- What nobody looks at for so long is left of a group that no source has any more, and waits for its end all the same.
      union select s.group_name from pending p join subject s on s.id = p.group_id
        where p.due_at < clock_timestamp() - interval '1 minute'
    ) o
    left join incident m on m.mass_group = o.name and m.state <> 'resolved'
    cross join lateral (
      select count(*)::int as dropped from (
        select 1 from pending p join subject s on s.id = p.group_id
        where s.group_name = o.name and p.disconnects > 0 limit 2) d
    ) d
    cross join lateral (
      select d.dropped, (select count(*)::int from (
        select 1 from incident i join subject s on s.id = i.group_id
        where s.group_name = o.name and i.state <> 'resolved' limit 1) t) as told
    ) x
    order by o.name`;
  const taken: WatchedSourceGroup[] = [];
  for (const { name, mass, several, due, dropped } of found) {
    if (!due && !several && (mass === null || dropped === 0)) continue;
    const [lock] = await tx<{ taken: boolean }[]>`
      select pg_try_advisory_xact_lock(${LOCK}, hashtext(${name})) as taken`;
    if (lock?.taken) taken.push({ name, mass, several });
  }
  return taken;
}
