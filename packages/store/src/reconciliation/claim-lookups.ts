import type { RepeatContract } from '@tidegate/core';
import type { Sql } from '../database/connect.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { receiversHeard } from '../receiver/receivers-heard.ts';

/** An ambiguous callback whose destination this worker alone may ask what became of it, until the lease ends. */
export interface ClaimedLookup {
  readonly id: string;
  /** Lookups for its last attempt, this one included; fences the end. */
  readonly lookups: number;
  readonly policyName: string;
  readonly repeat: RepeatContract;
  readonly sealedStatus: Buffer;
  readonly settleAfterMs: number;
  /** Milliseconds since its attempt ended, by Postgres' clock. */
  readonly unknownForMs: number;
  readonly canRetry: boolean;
}

export interface LookupTerms {
  readonly limit: number;
  readonly leaseMs: number;
  /** How long a registered receiver may be silent: then nothing is claimed, but behind a gate that is forced open. */
  readonly silentAfterMs: number;
}

/**
 * Claims status lookups that are due behind gates that allow sending; those behind a shut one wait for the reconciliation of
 * the next opening, those that only a silent receiver holds stay due. A lookup whose worker died is due again when its lease
 * ends. Lock order: gate, callback.
 */
export async function claimLookups(sql: Sql, { limit, leaseMs, silentAfterMs }: LookupTerms): Promise<ClaimedLookup[]> {
  return inTransaction(sql, async (tx) => {
    const gates = await tx<{ serviceId: number; allowed: boolean; forced: boolean }[]>`
      select g.service_id, g.state in ('open', 'releasing') as allowed, g.hand is not distinct from 'open' as forced from gate g
      where exists (select 1 from callback c where c.service_id = g.service_id and c.state = 'ambiguous' and c.due_at <= clock_timestamp())
      order by g.service_id for share of g`;
    const shut = gates.filter((gate) => !gate.allowed).map((gate) => gate.serviceId);
    if (shut.length > 0) {
      await tx`update callback set due_at = null where service_id = any(${shut}::int[]) and state = 'ambiguous' and due_at is not null`;
    }
    const allowed = gates.filter((gate) => gate.allowed).map((gate) => gate.serviceId);
    if (allowed.length === 0) return [];
    const forced = gates.filter((gate) => gate.forced).map((gate) => gate.serviceId);
    return tx<ClaimedLookup[]>`
      with due as materialized (
        select c.id from callback c
        where c.service_id = any(${allowed}::int[]) and c.state = 'ambiguous' and c.reconciliation_id is not null
          and c.sealed_status is not null and c.due_at <= clock_timestamp()
          and (${receiversHeard(tx, silentAfterMs)} or c.service_id = any(${forced}::int[]))
        order by c.due_at limit ${limit} for no key update skip locked
      )
      update callback c set lookups = c.lookups + 1, due_at = clock_timestamp() + make_interval(secs => ${leaseMs} / 1000.0)
      from due, service s where c.id = due.id and s.id = c.service_id
      returning c.id, c.lookups, s.policy_name, c.repeat, c.sealed_status, c.settle_after_ms,
        greatest(0, extract(epoch from clock_timestamp() - c.unknown_since) * 1000)::int8 as unknown_for_ms,
        c.retry_at is not null as can_retry`;
  });
}
