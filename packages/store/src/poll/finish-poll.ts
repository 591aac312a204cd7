import type { Sql } from '../database/connect.ts';
import { toStoreError } from '../database/store-error.ts';
import type { ClaimedPoll } from './claim-poll.ts';

export interface FinishedPoll {
  readonly poll: ClaimedPoll;
  readonly answered: boolean;
  /** Milliseconds until the next one is due. */
  readonly delayMs: number;
  /** Milliseconds before which there is none, however much it is wanted. */
  readonly pauseMs: number;
}

/** Ends a poll and sets the next. One whose lease another worker took over changes nothing. */
export async function finishPoll(sql: Sql, { poll, answered, delayMs, pauseMs }: FinishedPoll): Promise<void> {
  try {
    await sql`
      update poll set
        due_at = clock_timestamp() + make_interval(secs => ${delayMs} / 1000.0),
        allowed_at = clock_timestamp() + make_interval(secs => ${pauseMs} / 1000.0),
        -- Wanted since it was asked is still wanted.
        wanted_at = case when ${answered} and wanted_at <= ${poll.askedAt} then null else wanted_at end,
        failures = ${answered ? 0 : poll.failures + 1},
        answered_at = case when ${answered} then ${poll.askedAt}::timestamptz else answered_at end,
        newest_unlinked_id = case when ${answered} then ${poll.newestUnlinkedId}::bigint else newest_unlinked_id end,
        lease_until = null, run = null
      where run = ${poll.run}`;
  } catch (error) {
    throw toStoreError(error);
  }
}
