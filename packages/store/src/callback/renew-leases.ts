import type { Sql } from '../database/connect.ts';
import { toStoreError } from '../database/store-error.ts';
import { toPlainArray, toTextArray } from '../observation/to-array-literal.ts';

/** An attempt under way, as its worker knows it from the claim. */
export interface HeldLease {
  readonly callbackId: string;
  readonly attempt: number;
  readonly generation: number;
  readonly leaseToken: string;
}

/** Indexes into what was asked. What is in neither list is being ended at this moment. */
export interface RenewedLeases {
  readonly renewed: readonly number[];
  /** Over, ended, or another's: nothing may be done under it any more. */
  readonly lost: readonly number[];
}

/**
 * Renews the leases of attempts that are under way, each from now on, in one statement: only those that the asking worker still
 * holds by `holdsLease`. A lease that has run out is never renewed, also if nobody has noticed yet.
 */
export async function renewLeases(sql: Sql, held: readonly HeldLease[], leaseMs: number): Promise<RenewedLeases> {
  try {
    const rows = await sql<{ index: number; renewed: boolean; holds: boolean }[]>`
      with e as materialized (
        select e.*, a.callback_id is not null as holds
        from unnest(${toTextArray(held.map((one) => one.callbackId))}::text[], ${toPlainArray(held.map((one) => one.attempt))}::int[],
          ${toPlainArray(held.map((one) => one.generation))}::int8[], ${toPlainArray(held.map((one) => one.leaseToken))}::uuid[])
          with ordinality as e (id, attempt, generation, token, place)
        left join attempt a on a.callback_id = e.id and a.number = e.attempt and a.generation = e.generation
          and a.lease_token = e.token and a.finished_at is null and a.lease_until > clock_timestamp()
      ), locked as materialized (
        -- One that is being ended needs no renewal, and is not waited for.
        select a.callback_id, a.number from e join attempt a on a.callback_id = e.id and a.number = e.attempt
        where e.holds and a.lease_token = e.token and a.finished_at is null and a.lease_until > clock_timestamp()
        order by a.callback_id, a.number for no key update of a skip locked
      ), renewed as (
        update attempt a set lease_until = clock_timestamp() + make_interval(secs => ${leaseMs} / 1000.0)
        from locked l where a.callback_id = l.callback_id and a.number = l.number returning a.callback_id
      )
      select (e.place - 1)::int as index, r.callback_id is not null as renewed, e.holds
      from e left join renewed r on r.callback_id = e.id order by e.place`;
    return {
      renewed: rows.filter((row) => row.renewed).map((row) => row.index),
      lost: rows.filter((row) => !row.holds).map((row) => row.index),
    };
  } catch (error) {
    throw toStoreError(error);
  }
}
