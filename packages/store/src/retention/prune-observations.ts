import type { Sql, Transaction } from '../database/connect.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { dropMonths } from './months.ts';
import { PAGE } from './prune-page.ts';

export interface PrunedObservations {
  readonly observations: number;
  /** Partitions dropped, empty by then. */
  readonly months: number;
}

/** Where a page ended, with the microseconds that a Date would drop. */
interface Position {
  readonly at: string;
  readonly key: string;
}

const START: Position = { at: '-infinity', key: '00000000-0000-0000-0000-000000000000' };

/**
 * Ends the months that were over before `cutoff`, observations of the month it lies in stay: page by page along the order of
 * receipt what nothing refers to is removed and what must stay is moved out, so that the month is dropped and what stays is
 * passed once an hour and not at every statement.
 */
export async function pruneObservations(sql: Sql, cutoff: Date): Promise<PrunedObservations> {
  const [month] = await sql<{ begins: Date }[]>`select month_of(${cutoff})::timestamp at time zone 'UTC' as begins`;
  const before = month?.begins ?? cutoff;
  let position: Position | null = START;
  let observations = 0;
  while (position !== null) {
    const from: Position = position;
    const page = await inTransaction(sql, (tx) => prunePage(tx, before, from));
    observations += page.observations;
    position = page.next;
  }
  const { months } = await dropMonths(sql, 'observation', before, async (tx, partition) => {
    const [left] = await tx`select 1 from ${tx(partition)} limit 1`;
    return left === undefined ? 0 : null;
  });
  return { observations, months };
}

async function prunePage(tx: Transaction, before: Date, from: Position) {
  const page = await tx<{ key: string; subjectId: number; at: string }[]>`
    select key, subject_id, first_received_at::text as at from observation
    where month < month_of(${before}) and first_received_at < ${before}
      and (first_received_at, key) > (${from.at}::text::timestamptz, ${from.key}::uuid)
    order by first_received_at, key limit ${PAGE}`;
  const last = page.at(-1);
  if (last === undefined) return { observations: 0, next: null };
  const free = await lockSubjects(tx, [...new Set(page.map(({ subjectId }) => subjectId))]);
  const keys = page.filter(({ subjectId }) => free.has(subjectId)).map(({ key }) => key);
  const range = { keys, since: page[0]?.at ?? '', until: last.at };
  const observations = await removeUnneeded(tx, range, before);
  await moveOut(tx, range, before);
  return { observations, next: page.length < PAGE ? null : { at: last.at, key: last.key } };
}

/**
 * Recording takes these rows for key share first. So of an observation that is just being repeated either the repeat comes
 * first, and it stays, or its end does, and the repeat is recorded as new.
 */
async function lockSubjects(tx: Transaction, ids: readonly number[]): Promise<ReadonlySet<number>> {
  const rows = await tx<{ id: number }[]>`
    select id from subject where id = any(${[...ids]}::bigint[]) order by id for update skip locked`;
  return new Set(rows.map(({ id }) => id));
}

/** Rows of a page: their keys, and between which times of receipt an index finds them. */
interface PageRange {
  readonly keys: readonly string[];
  readonly since: string;
  readonly until: string;
}

/**
 * What is referred to stays: by the view, by an incident that is open or a row that waits (through its subject), by
 * quarantine, or by a repeat within retention. Of what is trusted, each subject keeps the greatest one dated before the
 * cutoff, because a change is counted against it when flapping is looked for.
 */
async function removeUnneeded(tx: Transaction, range: PageRange, before: Date): Promise<number> {
  const { count } = await tx`
    with needed_subject as materialized (
      select x.subject_id as id from incident i join incident_subject x on x.incident_id = i.id where i.state <> 'resolved'
      union
      select s.id from pending p join subject s on s.id = p.group_id or s.device_id = p.group_id
    ), ended as (
      delete from observation o using observation_key k
      where ${inPage(tx, range, before)} and k.key = o.key
        and o.subject_id not in (select id from needed_subject)
        and not exists (select 1 from connectivity c where c.subject_id = o.subject_id and o.key in (c.observation_key, c.cleared_key))
        and not exists (select 1 from quarantine q where q.replayed_as = 'obs_' || replace(o.key::text, '-', ''))
        and not exists (
          select 1 from delivery d where d.observation_key = o.key and d.id <> k.first_delivery_id and d.received_at >= ${before})
        and (not o.trusted or exists (
          select 1 from observation n
          where n.subject_id = o.subject_id and n.trusted and n.ticks <= ticks_of(${before})
            and (n.ticks, n.status, n.key) > (o.ticks, o.status, o.key)))
      returning o.key
    )
    delete from observation_key k using ended e where k.key = e.key`;
  return count;
}

/** What is left of the page outlives its month. */
async function moveOut(tx: Transaction, range: PageRange, before: Date): Promise<void> {
  await tx`update observation o set month = '-infinity' where ${inPage(tx, range, before)} and o.month <> '-infinity'`;
}

function inPage(tx: Transaction, { keys, since, until }: PageRange, before: Date) {
  return tx`o.month < month_of(${before}) and o.first_received_at between ${since}::text::timestamptz and ${until}::text::timestamptz
    and o.key = any(${[...keys]}::uuid[])`;
}
