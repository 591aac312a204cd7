import type { RepeatContract } from '@tidegate/core';
import { useGrant } from '@tidegate/core';
import type { Sql, Transaction } from '../database/connect.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { toPlainArray, toTextArray } from '../observation/to-array-literal.ts';
import { receiversHeard } from '../receiver/receivers-heard.ts';
import { isLive } from '../signing-secret/live-secrets.ts';
import { harmless, maybeReceived } from './evidence.ts';
import { pairKey, type RampPolicies, savePace } from './pace.ts';
import { type Grant, planGrants } from './plan-grants.ts';
import { lockSendingGates, type SendingGate, takeBack } from './sending-gates.ts';

/** A callback whose attempt row is committed: this worker alone may open the socket, until the lease ends. */
export interface ClaimedCallback {
  readonly id: string;
  readonly serviceId: number;
  readonly service: string;
  readonly origin: string;
  readonly attempt: number;
  /** Attempts under the present allowance, this one included. */
  readonly attempts: number;
  readonly generation: number;
  /** Renews the lease and ends the attempt, as long as the lease has not run out. */
  readonly leaseToken: string;
  readonly policyName: string;
  readonly method: string;
  readonly repeat: RepeatContract;
  readonly sealedUrl: Buffer;
  readonly sealedHeaders: Buffer;
  readonly sealedBody: Buffer | null;
  readonly sealedIdempotencyKey: Buffer;
  /** What signs for its destination, and what still does beside it while secrets are rotated. */
  readonly sealedSigningSecret: Buffer | null;
  readonly sealedOlderSigningSecret: Buffer | null;
  /** Milliseconds since the first attempt under the present allowance began, by Postgres' clock; 0 for the first. */
  readonly elapsedMs: number;
  /** An attempt before this one may have been received, and nothing has disproved it: giving up then needs a person. */
  readonly maybeReceived: boolean;
}

export interface ClaimOptions {
  readonly limit: number;
  readonly leaseMs: number;
  /** How long a registered receiver may be silent: then nothing is claimed, but behind a gate that is forced open. */
  readonly silentAfterMs: number;
  readonly policyOf: RampPolicies;
}

export interface Claim {
  readonly claimed: ClaimedCallback[];
  /** When ramp or circuit let more begin, whatever happens until then; null when neither is in the way. */
  readonly againAt: Date | null;
}

const SECOND_MS = 1000;
const NOTHING: Claim = { claimed: [], againAt: null };

/**
 * Claims callbacks that are due and may begin, in order, as fast as ramp and circuit of their destination allow. The gate's
 * state and generation, and that a repeat is harmless, are read under locks in the transaction that marks them `sending` (I7);
 * what was released under another generation becomes `held`, and what waits only for a silent receiver stays as it is. Lock
 * order: gate, ramp, circuit, callback.
 */
export async function claimCallbacks(sql: Sql, options: ClaimOptions): Promise<Claim> {
  const { policyOf } = options;
  return inTransaction(sql, async (tx) => {
    const gates = await lockSendingGates(tx);
    if (gates.length === 0) return NOTHING;
    const more = await takeBack(tx, gates);
    const sending = gates.filter((gate) => gate.allowed || gate.passable);
    const plan = await planGrants(tx, sending, policyOf);
    const granted = plan.grants.filter(({ grant }) => grant > 0);
    const claimed = granted.length === 0 ? [] : await claimGranted(tx, granted, options);
    const begun = new Map<string, number>();
    for (const callback of claimed) begun.set(pairKey(callback), (begun.get(pairKey(callback)) ?? 0) + 1);
    const ramps = plan.grants.map(({ serviceId, origin, ramp }) => ({
      serviceId,
      origin,
      ...useGrant(ramp, begun.get(pairKey({ serviceId, origin })) ?? 0),
    }));
    const moved = ramps.filter((ramp) => begun.has(pairKey(ramp)));
    await savePace(tx, moved, plan.circuits);
    const full = plan.grants.filter(
      ({ gate, ramp, ...pair }) =>
        ramp.used + (begun.get(pairKey(pair)) ?? 0) >= policyOf(gate.policyName).maxPerSecond,
    );
    const seconds = full.map(({ ramp }) => ramp.secondAtMs + SECOND_MS);
    const againAtMs = more ? 0 : Math.min(plan.againAtMs ?? Infinity, ...seconds);
    return { claimed, againAt: Number.isFinite(againAtMs) ? new Date(againAtMs) : null };
  });
}

async function claimGranted(
  tx: Transaction,
  grants: readonly Grant[],
  { limit, leaseMs, silentAfterMs }: ClaimOptions,
): Promise<ClaimedCallback[]> {
  return tx<ClaimedCallback[]>`
    with turns as (
      -- Oldest first for each destination; the destinations of a service by turns, and the services by turns.
      select t.*, row_number() over (partition by t.service_id order by t.turn, t.created_at, t.id) as service_turn
      from (
        select c.id, c.created_at, p.service_id, row_number() over (partition by p.service_id, p.origin order by c.created_at, c.id) as turn
        from ${granted(tx, grants)} cross join lateral (
          select c.id, c.created_at from callback c
          where c.service_id = p.service_id and c.generation = p.generation and c.origin = p.origin and c.state in ('queued', 'retrying')
            and c.due_at <= clock_timestamp() and (c.deadline_at is null or c.deadline_at > clock_timestamp())
            and (p.allowed or c.passes_held) and ${isFirstOfKey(tx)}
          order by c.created_at, c.id limit least(p.span, ${limit})
        ) c
        where ${receiversHeard(tx, silentAfterMs)} or p.forced
      ) t
    ), due as materialized (
      select c.id from callback c
      where c.id in (select t.id from turns t order by t.service_turn, t.created_at limit ${limit})
        and c.state in ('queued', 'retrying') and ${harmless(tx)}
      order by c.id for no key update skip locked
    ), claimed as (
      update callback c set state = 'sending', reason = null, attempts = c.attempts + 1, due_at = null
      from due where c.id = due.id returning c.*
    ), used as (
      update review r set used_at = clock_timestamp() from claimed c
      where r.callback_id = c.id and r.decision = 'approve' and r.used_at is null and r.payload_hash = c.payload_hash
        -- Any that was good when this statement asked; one that had expired before was not used.
        and r.expires_at > statement_timestamp()
    ), tried as (
      insert into attempt (callback_id, number, generation, started_at, lease_until, lease_token)
      select c.id, c.attempts, c.generation, clock_timestamp(), clock_timestamp() + make_interval(secs => ${leaseMs} / 1000.0),
        gen_random_uuid()
      from claimed c returning callback_id, generation, lease_token
    )
    select c.id, c.service_id, s.name as service, c.origin, c.attempts as attempt, c.attempts - c.attempts_before as attempts,
      t.generation, t.lease_token, s.policy_name,
      c.method, c.repeat, c.sealed_url, c.sealed_headers, c.sealed_body, c.sealed_idempotency_key,
      k.newest as sealed_signing_secret, k.older as sealed_older_signing_secret, ${elapsedMs(tx)} as elapsed_ms,
      c.attempts > 1 and ${maybeReceived(tx)} as maybe_received
    from claimed c join tried t on t.callback_id = c.id join service s on s.id = c.service_id
    cross join lateral ${signingSecrets(tx)} k
    order by c.created_at, c.id`;
}

/** SQL for callback `c`: the destination's own secrets that are live, else those of its service. */
function signingSecrets(tx: Transaction) {
  return tx`(
    select (array_agg(k.sealed_secret order by k.id desc))[1] as newest, (array_agg(k.sealed_secret order by k.id desc))[2] as older
    from signing_secret k where k.service_id = c.service_id and ${isLive(tx)} and k.destination is not distinct from (
      select k.destination from signing_secret k where k.service_id = c.service_id and k.destination = c.origin and ${isLive(tx)} limit 1))`;
}

function granted(tx: Transaction, grants: readonly Grant[]) {
  const gate = (read: (gate: SendingGate) => number | boolean) => toPlainArray(grants.map((one) => read(one.gate)));
  return tx`unnest(${gate((one) => one.serviceId)}::int[], ${gate((one) => one.generation)}::int8[],
    ${gate((one) => one.allowed)}::bool[], ${gate((one) => one.forced)}::bool[], ${toTextArray(grants.map((one) => one.origin))}::text[],
    ${toPlainArray(grants.map((one) => one.grant))}::int[]) as p (service_id, generation, allowed, forced, origin, span)`;
}

/**
 * SQL for callback `c`: nothing before it under its ordering key is unfinished, but for what its own deadline has passed by, and
 * what waits for a person without one.
 */
function isFirstOfKey(tx: Transaction) {
  return tx`(c.ordering_hash is null or not exists (
    select 1 from callback p where p.service_id = c.service_id and p.ordering_hash = c.ordering_hash and p.finished_at is null
      and (p.created_at, p.id) < (c.created_at, c.id)
      and (p.deadline_at > clock_timestamp() or p.state = 'sending' or (p.deadline_at is null and p.state <> 'needs_review'))))`;
}

/** SQL for callback `c`: milliseconds since the first attempt under its present allowance began. */
export function elapsedMs(sql: Sql | Transaction) {
  return sql`coalesce((select (extract(epoch from clock_timestamp() - min(a.started_at)) * 1000)::int8 from attempt a
    where a.callback_id = c.id and a.number > c.attempts_before), 0)`;
}
