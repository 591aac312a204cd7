import type { BeginningFacts } from '@tidegate/core';
import type { Sql } from '../database/connect.ts';
import { toStoreError } from '../database/store-error.ts';
import { toPlainArray, toTextArray } from '../observation/to-array-literal.ts';
import { receiversHeard } from '../receiver/receivers-heard.ts';
import type { HeldLease } from './renew-leases.ts';

/**
 * What decides whether attempts may write their first byte now, in one statement that changes nothing and waits for nobody: each
 * attempt's lease, by `holdsLease`, its callback's deadline, and its gate as it stands when this is asked.
 * @param silentAfterMs how long a registered receiver may be silent
 * @returns one for each that was asked for, in their order
 */
export async function readBeginnings(
  sql: Sql,
  held: readonly HeldLease[],
  silentAfterMs: number,
): Promise<BeginningFacts[]> {
  try {
    return await sql<BeginningFacts[]>`
      select a.callback_id is not null as holds_lease, e.generation, g.state as gate_state, g.generation as gate_generation, g.hand,
        c.passes_held, ${receiversHeard(sql, silentAfterMs)} as receivers_heard,
        (extract(epoch from c.deadline_at - clock_timestamp()) * 1000)::float8 as deadline_in_ms
      from unnest(${toTextArray(held.map((one) => one.callbackId)) ?? '{}'}::text[], ${toPlainArray(held.map((one) => one.attempt))}::int[],
        ${toPlainArray(held.map((one) => one.generation))}::int8[], ${toPlainArray(held.map((one) => one.leaseToken))}::uuid[])
        with ordinality as e (id, attempt, generation, token, place)
      join callback c on c.id = e.id join gate g on g.service_id = c.service_id
      left join attempt a on a.callback_id = e.id and a.number = e.attempt and a.generation = e.generation
        and a.lease_token = e.token and a.finished_at is null and a.lease_until > clock_timestamp()
      order by e.place`;
  } catch (error) {
    throw toStoreError(error);
  }
}
