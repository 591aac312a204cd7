import type { SafeName } from '@tidegate/core';
import type { Sql } from '../database/connect.ts';
import { toStoreError } from '../database/store-error.ts';

/** One thing that was told, in the one order everybody reads. */
export interface EventRow {
  /** 1, 2, 3, … without a gap. */
  readonly number: number;
  readonly at: Date;
  readonly event: string;
  readonly incident: string | null;
  /** The service it is about; null when it is about an incident as a whole. */
  readonly service: string | null;
  readonly callback: string | null;
  readonly reason: string | null;
  /** A person's name and words, as they were made safe before they were stored. */
  readonly actor: SafeName | null;
  readonly words: SafeName | null;
  readonly why: string | null;
  /** All it concerns. */
  readonly services: readonly string[];
}

export interface EventPage {
  /** Those after the number asked for, in order. */
  readonly items: readonly EventRow[];
  /** The last number there is. */
  readonly last: number;
  /** Retention has removed all up to this one: who knows less than that has missed some. */
  readonly prunedThrough: number;
}

/** Numbered in one call at most; what is left is numbered in the next one. */
const MOST_NUMBERED = 2000;

/**
 * Numbers what has been committed, then reads the events after a number. A page that was read once reads the same until
 * retention removes it: nothing is ever put in before a number that somebody has seen.
 * @param after 0 for all there are
 * @param limit of 0 reads none, and tells the last number
 */
export async function readEvents(
  sql: Sql,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<EventPage> {
  try {
    await sql`select number_events(${MOST_NUMBERED})`;
    // One statement, so that the counters are of the same moment as the rows.
    const rows = await sql<(EventRow & { last: number; prunedThrough: number; number: number | null })[]>`
      select c.last_number as last, c.pruned_through, e.number, e.at, e.event, e.incident_id as incident, e.service,
        e.callback_id as callback, e.reason, e.actor, e.words, e.why, e.services
      from event_counter c left join lateral (
        select * from event where number > ${after} order by number limit ${limit}) e on true
      order by e.number`;
    const [first] = rows;
    if (first === undefined) throw new Error('a migrated database always has the counter of events');
    const items = rows.flatMap(({ last: _, prunedThrough: __, ...row }) => (row.number === null ? [] : [row]));
    return { items, last: first.last, prunedThrough: first.prunedThrough };
  } catch (error) {
    throw toStoreError(error);
  }
}
