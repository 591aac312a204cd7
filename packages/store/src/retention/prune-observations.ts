import type { Sql, Transaction } from '../database/connect.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { PAGE } from './prune-page.ts';

export interface PrunedObservations {
  readonly observations: number;
  readonly deliveries: number;
}

/** Where a page ended, with the microseconds that a Date would drop. */
interface Position {
  readonly at: string;
  readonly key: string;
}

const START: Position = { at: '-infinity', key: '00000000-0000-0000-0000-000000000000' };

/**
 * Removes observations first received before `cutoff`, with their deliveries, page by page along the order of receipt, so
 * that what must stay is passed once and not at every statement.
 */
export async function pruneObservations(sql: Sql, cutoff: Date): Promise<PrunedObservations> {
  let position: Position | null = START;
  let observations = 0;
  let deliveries = 0;
  while (position !== null) {
    const from: Position = position;
    const page = await inTransaction(sql, (tx) => prunePage(tx, cutoff, from));
    observations += page.observations;
    deliveries += page.deliveries;
    position = page.next;
  }
  return { observations, deliveries };
}

async function prunePage(tx: Transaction, cutoff: Date, from: Position) {
  const page = await tx<{ key: string; subjectId: number; at: string }[]>`
    select key, subject_id, first_received_at::text as at from observation
    where first_received_at < ${cutoff} and (first_received_at, key) > (${from.at}::text::timestamptz, ${from.key}::uuid)
    order by first_received_at, key limit ${PAGE}`;
  const last = page.at(-1);
  if (last === undefined) return { observations: 0, deliveries: 0, next: null };
  const free = await lockSubjects(tx, [...new Set(page.map(({ subjectId }) => subjectId))]);
  const keys = page.filter(({ subjectId }) => free.has(subjectId)).map(({ key }) => key);
  const repeats = await removeOldRepeats(tx, keys, cutoff);
  const observations = await removeUnneeded(tx, keys, cutoff);
  const next = page.length < PAGE ? null : { at: last.at, key: last.key };
  return { observations, deliveries: repeats + observations, next };
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

/** Deliveries before the cutoff, but for each observation's first: it goes with the observation. */
async function removeOldRepeats(tx: Transaction, keys: readonly string[], cutoff: Date): Promise<number> {
  const { count } = await tx`
    delete from delivery d using observation o
    where o.key = any(${[...keys]}::uuid[]) and d.observation_key = o.key and d.id <> o.first_delivery_id and d.received_at < ${cutoff}`;
  return count;
}

/**
 * What is referred to stays: by the view, by an incident that is open or a row that waits (through its subject), by
 * quarantine, or by a repeat within retention. Of what is trusted, each subject keeps the greatest one dated before the
 * cutoff, because a change is counted against it when flapping is looked for.
 */
async function removeUnneeded(tx: Transaction, keys: readonly string[], cutoff: Date): Promise<number> {
  const { count } = await tx`
    with needed_subject as materialized (
      select x.subject_id as id from incident i join incident_subject x on x.incident_id = i.id where i.state <> 'resolved'
      union
      select s.id from pending p join subject s on s.id = p.group_id or s.device_id = p.group_id
    ), ended as (
      delete from observation o
      where o.key = any(${[...keys]}::uuid[])
        and o.subject_id not in (select id from needed_subject)
        and not exists (select 1 from connectivity c where c.subject_id = o.subject_id and o.key in (c.observation_key, c.cleared_key))
        and not exists (select 1 from quarantine q where q.replayed_as = 'obs_' || replace(o.key::text, '-', ''))
        and not exists (select 1 from delivery d where d.observation_key = o.key and d.id <> o.first_delivery_id)
        and (not o.trusted or exists (
          select 1 from observation n
          where n.subject_id = o.subject_id and n.trusted and n.ticks <= ticks_of(${cutoff})
            and (n.ticks, n.status, n.key) > (o.ticks, o.status, o.key)))
      returning o.first_delivery_id
    )
    delete from delivery d using ended e where d.id = e.first_delivery_id`;
  return count;
}
