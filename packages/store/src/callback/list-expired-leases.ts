import type { RepeatContract } from '@tidegate/core';
import type { Sql } from '../database/connect.ts';
import { toStoreError } from '../database/store-error.ts';
import { elapsedMs } from './claim-callbacks.ts';

export interface ExpiredLease {
  readonly id: string;
  readonly serviceId: number;
  readonly origin: string;
  readonly attempt: number;
  /** Attempts under the present allowance, this one included. */
  readonly attempts: number;
  readonly generation: number;
  /** Null for an attempt that an older version began. */
  readonly leaseToken: string | null;
  readonly repeat: RepeatContract;
  readonly policyName: string;
  /** Milliseconds since the first attempt under the present allowance began. */
  readonly elapsedMs: number;
  readonly byApproval: boolean;
  readonly maybeReceived: true;
}

/**
 * Attempts whose lease ran out without an end: their worker died between the commit and the answer, so nobody knows
 * whether the request was received. The caller ends each through `finishAttempts`, which fences it.
 */
export async function listExpiredLeases(sql: Sql, limit: number): Promise<ExpiredLease[]> {
  try {
    return await sql<ExpiredLease[]>`
      select c.id, c.service_id, c.origin, l.number as attempt, c.attempts - c.attempts_before as attempts, l.generation, l.lease_token, c.repeat,
        s.policy_name, ${elapsedMs(sql)} as elapsed_ms, c.by_approval, true as maybe_received
      from attempt l join callback c on c.id = l.callback_id and c.attempts = l.number and c.state = 'sending'
      join service s on s.id = c.service_id
      where l.finished_at is null and l.lease_until < clock_timestamp()
      order by l.lease_until limit ${limit}`;
  } catch (error) {
    throw toStoreError(error);
  }
}
