import type { PlaceShares, RepeatContract } from '@tidegate/core';
import { useGrant } from '@tidegate/core';
import type { Sql, Transaction } from '../database/connect.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { toTextArray } from '../observation/to-array-literal.ts';
import { isLive } from '../signing-secret/live-secrets.ts';
import { allotPlaces } from './allot-places.ts';
import { harmless, maybeReceived } from './evidence.ts';
import { findCandidates } from './find-candidates.ts';
import { pairKey, type RampPolicies, savePace } from './pace.ts';
import { planGrants } from './plan-grants.ts';
import { lockSendingGates, takeBack } from './sending-gates.ts';

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
  /** Let out by a person, for this attempt alone. */
  readonly byApproval: boolean;
  /** An attempt before this one may have been received, and nothing has disproved it: giving up then needs a person. */
  readonly maybeReceived: boolean;
}

export interface ClaimOptions {
  readonly limit: number;
  readonly leaseMs: number;
  /** How long a registered receiver may be silent: then nothing is claimed, but behind a gate that is forced open. */
  readonly silentAfterMs: number;
  readonly policyOf: RampPolicies;
  /** How many each destination and each service may begin at this worker; absent: as many as it likes. */
  readonly shares?: Pick<PlaceShares, 'ofOrigin' | 'ofService'>;
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
    const { candidates, moreKeys } = await findCandidates(tx, granted, options);
    const claimed = await claimThese(tx, allotPlaces(candidates, { ...options, ...plan }), options.leaseMs);
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
    if (moreKeys) seconds.push(plan.nowMs + SECOND_MS);
    const againAtMs = more ? 0 : Math.min(plan.againAtMs ?? Infinity, ...seconds);
    return { claimed, againAt: Number.isFinite(againAtMs) ? new Date(againAtMs) : null };
  });
}

async function claimThese(tx: Transaction, ids: readonly string[], leaseMs: number): Promise<ClaimedCallback[]> {
  if (ids.length === 0) return [];
  return tx<ClaimedCallback[]>`
    with due as materialized (
      -- A person may have cancelled one since it was found, or an approval may be over.
      select c.id from callback c
      where c.id = any(${toTextArray(ids)}::text[]) and c.state in ('queued', 'retrying') and ${harmless(tx)}
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
      c.by_approval, c.attempts > 1 and ${maybeReceived(tx)} as maybe_received
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

/** SQL for callback `c`: milliseconds since the first attempt under its present allowance began. */
export function elapsedMs(sql: Sql | Transaction) {
  return sql`coalesce((select (extract(epoch from clock_timestamp() - min(a.started_at)) * 1000)::int8 from attempt a
    where a.callback_id = c.id and a.number > c.attempts_before), 0)`;
}
