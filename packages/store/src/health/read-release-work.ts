import { stranded, waitsUntil } from '../callback/left-waiting.ts';
import type { Sql } from '../database/connect.ts';
import { toStoreError } from '../database/store-error.ts';

/** What the release room has to do besides sending. */
export interface ReleaseWork {
  /** Attempts whose lease ran out. */
  readonly dead: boolean;
  /** Callbacks past their deadline, or of a service that is gone. */
  readonly expired: boolean;
  /** Something waits behind an open gate to be reconciled. */
  readonly unreconciled: boolean;
  /** Status lookups that are due. */
  readonly lookups: boolean;
  /** A gate that releases, and may have come to its end. */
  readonly releasing: boolean;
}

/** Asks for everything at once: the room is woken by every answer, and mostly there is nothing but to send. */
export async function readReleaseWork(sql: Sql): Promise<ReleaseWork> {
  try {
    const [row] = await sql<ReleaseWork[]>`
      select
        exists (select 1 from attempt where finished_at is null and lease_until < clock_timestamp()) as dead,
        exists (select 1 from callback c where c.deadline_at <= clock_timestamp() and ${waitsUntil(sql)}) or exists (${stranded(sql)}) as expired,
        exists (select 1 from callback c join gate g on g.service_id = c.service_id
                where (c.state = 'held' or (c.state = 'ambiguous' and c.reconciliation_id is null))
                  and g.state in ('open', 'releasing')) as unreconciled,
        exists (select 1 from callback where due_at is not null and due_at <= clock_timestamp() and state = 'ambiguous') as lookups,
        exists (select 1 from gate where state = 'releasing') as releasing`;
    if (row === undefined) throw new Error('a select without from answered no row');
    return row;
  } catch (error) {
    throw toStoreError(error);
  }
}
