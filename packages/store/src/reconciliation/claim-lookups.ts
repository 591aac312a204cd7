import type { PlaceShares, RepeatContract } from '@tidegate/core';
import type { Pair } from '../callback/pace.ts';
import type { Sql, Transaction } from '../database/connect.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { toPlainArray, toTextArray } from '../observation/to-array-literal.ts';
import { receiversHeard } from '../receiver/receivers-heard.ts';

/** An ambiguous callback whose destination this worker alone may ask what became of it, until the lease ends. */
export interface ClaimedLookup {
  readonly id: string;
  readonly serviceId: number;
  /** Of the callback: whose outcome is asked for, wherever its contract says to ask. */
  readonly origin: string;
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
  /** How many each destination and each service may begin at this worker; absent: as many as it likes. */
  readonly shares?: Pick<PlaceShares, 'ofOrigin' | 'ofService'>;
}

/**
 * Claims status lookups that are due behind gates that allow sending; those behind a shut one wait for the reconciliation of
 * the next opening, those that only a silent receiver holds stay due. A lookup whose worker died is due again when its lease
 * ends. Lock order: gate, callback.
 */
export async function claimLookups(sql: Sql, terms: LookupTerms): Promise<ClaimedLookup[]> {
  const { limit, leaseMs, silentAfterMs } = terms;
  return inTransaction(sql, async (tx) => {
    const gates = await tx<{ serviceId: number; allowed: boolean; forced: boolean }[]>`
      select g.service_id, g.state in ('open', 'releasing') as allowed, g.hand is not distinct from 'open' as forced from gate g
      where exists (select 1 from callback c where c.service_id = g.service_id and c.state = 'ambiguous' and c.due_at <= clock_timestamp())
      order by g.service_id for no key update of g`;
    const shut = gates.filter((gate) => !gate.allowed).map((gate) => gate.serviceId);
    if (shut.length > 0) {
      await tx`update callback set due_at = null where service_id = any(${shut}::int[]) and state = 'ambiguous' and due_at is not null`;
    }
    const allowed = gates.filter((gate) => gate.allowed).map((gate) => gate.serviceId);
    if (allowed.length === 0) return [];
    const forced = gates.filter((gate) => gate.forced).map((gate) => gate.serviceId);
    const waiting = await tx<Pair[]>`
      select distinct c.service_id, c.origin from callback c
      where c.service_id = any(${allowed}::int[]) and c.state = 'ambiguous' and c.due_at <= clock_timestamp()`;
    return tx<ClaimedLookup[]>`
      with turns as (
        -- As attempts are claimed: the destinations of a service by turns, and the services by turns.
        select t.*, row_number() over (partition by t.service_id order by t.turn, t.due_at, t.id) as service_turn,
          row_number() over (partition by t.origin order by t.turn, t.due_at, t.id) as origin_turn
        from (
          select c.id, c.due_at, p.*, row_number() over (partition by p.service_id, p.origin order by c.due_at, c.id) as turn
          from ${shared(tx, waiting, terms)} cross join lateral (
            select c.id, c.due_at from callback c
            where c.service_id = p.service_id and c.origin = p.origin and c.state = 'ambiguous' and c.reconciliation_id is not null
              and c.sealed_status is not null and c.due_at <= clock_timestamp()
              and (${receiversHeard(tx, silentAfterMs)} or c.service_id = any(${forced}::int[]))
            order by c.due_at, c.id limit least(p.service_share, p.origin_share, ${limit})
          ) c
        ) t
      ), due as materialized (
        select c.id from callback c
        where c.id in (select t.id from turns t where coalesce(t.service_turn <= t.service_share, true)
                         and coalesce(t.origin_turn <= t.origin_share, true) order by t.service_turn, t.due_at limit ${limit})
          and c.state = 'ambiguous' and c.due_at <= clock_timestamp()
        order by c.id for no key update skip locked
      )
      update callback c set lookups = c.lookups + 1, due_at = clock_timestamp() + make_interval(secs => ${leaseMs} / 1000.0)
      from due, service s where c.id = due.id and s.id = c.service_id
      returning c.id, c.service_id, c.origin, c.lookups, s.policy_name, c.repeat, c.sealed_status, c.settle_after_ms,
        greatest(0, extract(epoch from clock_timestamp() - c.unknown_since) * 1000)::int8 as unknown_for_ms,
        c.retry_at is not null as can_retry`;
  });
}

/** SQL: the destinations that lookups are due for, and how many each may have begun. */
function shared(tx: Transaction, pairs: readonly Pair[], { shares }: LookupTerms) {
  return tx`unnest(${toPlainArray(pairs.map((pair) => pair.serviceId))}::int[], ${toTextArray(pairs.map((pair) => pair.origin)) ?? '{}'}::text[],
    ${toPlainArray(pairs.map((pair) => shares?.ofService(pair.serviceId) ?? null))}::int[],
    ${toPlainArray(pairs.map((pair) => shares?.ofOrigin(pair.origin) ?? null))}::int[]) as p (service_id, origin, service_share, origin_share)`;
}
