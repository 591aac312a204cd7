import type { RepeatContract } from '@tidegate/core';
import type { Sql, Transaction } from '../database/connect.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { receiversHeard } from '../receiver/receivers-heard.ts';

/** A callback whose attempt row is committed: this worker alone may open the socket, until the lease ends. */
export interface ClaimedCallback {
  readonly id: string;
  readonly serviceId: number;
  readonly service: string;
  readonly attempt: number;
  readonly generation: number;
  readonly leaseMs: number;
  readonly policyName: string;
  readonly method: string;
  readonly repeat: RepeatContract;
  readonly sealedUrl: Buffer;
  readonly sealedHeaders: Buffer;
  readonly sealedBody: Buffer | null;
  readonly sealedIdempotencyKey: Buffer;
  readonly sealedSigningSecret: Buffer | null;
  /** Milliseconds since its first attempt began, by Postgres' clock; 0 for the first. */
  readonly elapsedMs: number;
  /** An attempt before this one may have been received: giving up then needs a person. */
  readonly maybeReceived: boolean;
}

export interface ClaimTerms {
  readonly limit: number;
  readonly leaseMs: number;
  /** How long a registered receiver may be silent: then nothing is claimed, but behind a gate that is forced open. */
  readonly silentAfterMs: number;
}

/**
 * Claims callbacks that are due and whose gate allows sending, read and locked in the transaction that marks them
 * `sending` (I7); those that are due behind a held gate become `held`, and those past their deadline `expired`. Lock order:
 * gate, callback.
 */
export async function claimCallbacks(sql: Sql, terms: ClaimTerms): Promise<ClaimedCallback[]> {
  return inTransaction(sql, async (tx) => {
    const gates = await tx<LockedGate[]>`
      select g.service_id, g.state in ('open', 'releasing') as allowed, g.hand is not distinct from 'open' as forced from gate g
      where exists (select 1 from callback c where c.service_id = g.service_id and c.due_at <= clock_timestamp()
                      and c.state in ('queued', 'retrying'))
      order by g.service_id for no key update of g`;
    await tx`update callback c set state = case when ${maybeReceived(tx)} then 'needs_review' else 'expired' end, reason = 'deadline_passed', due_at = null, finished_at = clock_timestamp()
             where service_id = any(${gates.map((gate) => gate.serviceId)}::int[]) and state in ('queued', 'retrying')
               and due_at <= clock_timestamp() and deadline_at <= clock_timestamp()`;
    const allowed = gates.filter((gate) => gate.allowed);
    const shut = gates.filter((gate) => !gate.allowed).map((gate) => gate.serviceId);
    if (shut.length > 0) {
      await tx`update callback set state = 'held', reason = 'gate_held', due_at = null
               where service_id = any(${shut}::int[]) and state in ('queued', 'retrying')`;
    }
    return allowed.length === 0 ? [] : claimAllowed(tx, allowed, terms);
  });
}

interface LockedGate {
  readonly serviceId: number;
  readonly allowed: boolean;
  readonly forced: boolean;
}

async function claimAllowed(
  tx: Transaction,
  gates: readonly LockedGate[],
  { limit, leaseMs, silentAfterMs }: ClaimTerms,
): Promise<ClaimedCallback[]> {
  const allowed = gates.map((gate) => gate.serviceId);
  const forced = gates.filter((gate) => gate.forced).map((gate) => gate.serviceId);
  return tx<ClaimedCallback[]>`
    with turns as (
      -- Each service's oldest first, and the services by turns: a backlog of one does not starve the others.
      select c.id, c.created_at, row_number() over (partition by c.service_id order by c.created_at, c.id) as turn
      from unnest(${allowed}::int[]) as s(id)
      cross join lateral (
        select * from callback c where c.service_id = s.id and c.due_at <= clock_timestamp() and c.state in ('queued', 'retrying')
        order by c.created_at, c.id limit ${limit}
      ) c
      where ${receiversHeard(tx, silentAfterMs)} or s.id = any(${forced}::int[])
    ), due as materialized (
      select c.id from callback c
      where c.id in (select t.id from turns t order by t.turn, t.created_at limit ${limit})
        and c.due_at <= clock_timestamp() and c.state in ('queued', 'retrying')
      order by c.id for no key update skip locked
    ), claimed as (
      update callback c set state = 'sending', reason = null, attempts = c.attempts + 1, due_at = null
      from due where c.id = due.id returning c.*
    ), tried as (
      insert into attempt (callback_id, number, generation, started_at, lease_until)
      select c.id, c.attempts, g.generation, clock_timestamp(), clock_timestamp() + make_interval(secs => ${leaseMs} / 1000.0)
      from claimed c join gate g on g.service_id = c.service_id returning callback_id, generation
    )
    select c.id, c.service_id, s.name as service, c.attempts as attempt, t.generation, ${leaseMs}::int as lease_ms, s.policy_name,
      c.method, c.repeat, c.sealed_url, c.sealed_headers, c.sealed_body, c.sealed_idempotency_key,
      k.sealed_secret as sealed_signing_secret,
      coalesce((select (extract(epoch from clock_timestamp() - min(a.started_at)) * 1000)::int8 from attempt a
                where a.callback_id = c.id), 0) as elapsed_ms,
      ${maybeReceived(tx)} as maybe_received
    from claimed c join tried t on t.callback_id = c.id join service s on s.id = c.service_id
    left join signing_secret k on k.service_id = c.service_id
    order by c.created_at, c.id`;
}

/** SQL for callback `c`: some attempt of it may have had an effect at its destination, whatever came after. */
function maybeReceived(sql: Sql | Transaction) {
  return sql`exists (select 1 from attempt m where m.callback_id = c.id
    and (m.phase = 'maybe_received' or (m.phase = 'answered' and m.status >= 500)))`;
}
