import type { Sql } from '../database/connect.ts';
import { toStoreError } from '../database/store-error.ts';

export interface NextDue {
  readonly correlate: Date | null;
  readonly verify: Date | null;
  readonly release: Date | null;
}

/** The earliest row waiting in each room; the sweeper wakes a room whose time has passed, whatever became of its job. */
export async function nextDue(sql: Sql): Promise<NextDue> {
  try {
    const [row] = await sql<NextDue[]>`
      select (select min(due_at) from pending) as correlate, (select min(verify_due_at) from gate) as verify,
        least((select min(due_at) from callback where due_at is not null), (select min(lease_until) from attempt where finished_at is null)) as release`;
    return row ?? { correlate: null, verify: null, release: null };
  } catch (error) {
    throw toStoreError(error);
  }
}
