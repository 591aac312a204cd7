import type { Sql } from '../database/connect.ts';
import { toStoreError } from '../database/store-error.ts';

/** The right to poll API v2 once; until it is finished, or its lease ends, no other worker polls. */
export interface ClaimedPoll {
  readonly run: string;
  /** Postgres' clock when it was claimed: what the poll finds is known from then on, an answer may be that old. */
  readonly askedAt: Date;
  readonly failures: number;
  /** The newest token without a name at this time. */
  readonly newestUnlinkedId: number | null;
}

/**
 * Claims the next poll if it is time: it is due, somebody wants one, or a token reported that API v2 was never asked about.
 * @param run fresh id; only its holder may finish the poll
 * @param leaseMs after this long a poller that died is replaced
 * @returns null when it is not time, or another worker polls
 */
export async function claimPoll(sql: Sql, run: string, leaseMs: number): Promise<ClaimedPoll | null> {
  try {
    await sql`insert into poll (due_at) select clock_timestamp() where not exists (select 1 from poll) on conflict do nothing`;
    const [row] = await sql<ClaimedPoll[]>`
      update poll p set run = ${run}, lease_until = clock_timestamp() + make_interval(secs => ${leaseMs} / 1000.0)
      from (select max(id) as id from subject where type = 'device' and linked_at is null) n
      where p.allowed_at <= clock_timestamp() and (p.lease_until is null or p.lease_until <= clock_timestamp())
        and (p.due_at <= clock_timestamp() or p.wanted_at <= clock_timestamp() or n.id > coalesce(p.newest_unlinked_id, 0))
      returning p.run, clock_timestamp() as asked_at, p.failures, n.id as newest_unlinked_id`;
    return row ?? null;
  } catch (error) {
    throw toStoreError(error);
  }
}
