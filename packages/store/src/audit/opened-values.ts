import type { Sql } from '../database/connect.ts';
import { toStoreError } from '../database/store-error.ts';

export interface OpenedValues {
  /** Start of the hour, by Postgres' clock. */
  readonly hour: Date;
  readonly purpose: string;
  readonly count: number;
}

/** Adds to the current hour how often values of each purpose were opened by a machine. */
export async function addOpenedValues(sql: Sql, counts: ReadonlyMap<string, number>): Promise<void> {
  if (counts.size === 0) return;
  try {
    await sql`
      insert into opened_values as o (hour, purpose, count)
      select date_trunc('hour', clock_timestamp()), i.purpose, i.count
      from unnest(${[...counts.keys()]}::text[], ${[...counts.values()]}::int[]) as i(purpose, count) order by i.purpose
      on conflict (hour, purpose) do update set count = o.count + excluded.count`;
  } catch (error) {
    throw toStoreError(error);
  }
}

/** The newest hours in which values were opened, newest first. */
export async function listOpenedValues(sql: Sql, limit: number): Promise<OpenedValues[]> {
  try {
    return await sql<OpenedValues[]>`
      select hour, purpose, count from opened_values order by hour desc, purpose limit ${limit}`;
  } catch (error) {
    throw toStoreError(error);
  }
}
