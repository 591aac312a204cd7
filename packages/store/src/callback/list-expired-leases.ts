import type { RepeatContract } from '@tidegate/core';
import type { Sql } from '../database/connect.ts';
import { toStoreError } from '../database/store-error.ts';

export interface ExpiredLease {
  readonly callbackId: string;
  readonly attempt: number;
  readonly repeat: RepeatContract;
  readonly policyName: string;
  /** Milliseconds since its first attempt began. */
  readonly elapsedMs: number;
  readonly maybeReceived: true;
}

/**
 * Attempts whose lease ran out without an end: their worker died between the commit and the answer, so nobody knows
 * whether the request was received. The caller ends each through `finishAttempt`, which fences it.
 */
export async function listExpiredLeases(sql: Sql, limit: number): Promise<ExpiredLease[]> {
  try {
    return await sql<ExpiredLease[]>`
      select c.id as callback_id, a.number as attempt, c.repeat, s.policy_name,
        (select (extract(epoch from clock_timestamp() - min(f.started_at)) * 1000)::int8 from attempt f
         where f.callback_id = c.id) as elapsed_ms, true as maybe_received
      from attempt a join callback c on c.id = a.callback_id and c.attempts = a.number and c.state = 'sending'
      join service s on s.id = c.service_id
      where a.finished_at is null and a.lease_until < clock_timestamp()
      order by a.lease_until limit ${limit}`;
  } catch (error) {
    throw toStoreError(error);
  }
}
