import type { CallbackState, RepeatContract } from '@tidegate/core';
import type { Sql, Transaction } from '../database/connect.ts';
import { inTransaction } from '../database/in-transaction.ts';

export interface NewCallback {
  readonly id: string;
  readonly service: string;
  readonly keyHash: Buffer;
  readonly payloadHash: Buffer;
  readonly method: string;
  readonly origin: string;
  readonly safety: 'unsafe' | 'safe';
  readonly repeat: RepeatContract;
  readonly sealedUrl: Buffer;
  readonly sealedHeaders: Buffer;
  readonly sealedBody: Buffer | null;
  readonly sealedIdempotencyKey: Buffer;
  readonly deadlineAt: Date | null;
  /** Callbacks of one key are sent in the order they were handed over. */
  readonly orderingHash: Buffer | null;
  /** A `StatusContract` as JSON, and how long its "not found" proves nothing. */
  readonly status: { readonly sealed: Buffer; readonly settleAfterMs: number } | null;
  /** Declared to pass a held gate; only for what is `safe`. */
  readonly passesHeld: boolean;
}

export type CreatedCallback =
  | { readonly kind: 'created'; readonly id: string; readonly state: CallbackState }
  /** The same key and payload were handed over before: the recorded one stands. */
  | { readonly kind: 'replayed'; readonly id: string }
  | { readonly kind: 'payload_differs' }
  /** Another transaction is taking over what came under the same key, and has not committed. */
  | { readonly kind: 'in_flight' }
  | { readonly kind: 'unknown_service' };

/**
 * Takes a callback over: `queued` when the gate allows sending at this moment, else `held`. One row per service and key,
 * however many copies race, on any number of instances (I8); a copy waits for nothing. Lock order: key (tried only), gate,
 * callback.
 */
export async function createCallback(sql: Sql, callback: NewCallback): Promise<CreatedCallback> {
  return inTransaction(sql, async (tx) => {
    const { locked, recorded } = await findRecorded(tx, callback, tryLockKey(tx, callback));
    if (recorded !== null) return recorded;
    if (!locked) return { kind: 'in_flight' };
    const [gate] = await tx<{ serviceId: number; generation: number; allowed: boolean }[]>`
      select g.service_id, g.generation,
        g.state in ('open', 'releasing') or (${callback.passesHeld} and g.hand is distinct from 'held') as allowed
      from gate g join service s on s.id = g.service_id
      where s.name = ${callback.service} and s.retired_at is null for no key update of g`;
    if (gate === undefined) return { kind: 'unknown_service' };
    const state = gate.allowed ? 'queued' : 'held';
    const [row] = await tx<{ id: string }[]>`
      insert into callback (id, service_id, key_hash, payload_hash, state, reason, method, origin, safety, repeat, sealed_url,
                            sealed_headers, sealed_body, sealed_idempotency_key, created_at, due_at, deadline_at, ordering_hash,
                            sealed_status, settle_after_ms, passes_held, generation)
      values (${callback.id}, ${gate.serviceId}, ${callback.keyHash}, ${callback.payloadHash}, ${state},
              ${gate.allowed ? 'gate_open' : 'gate_held'}, ${callback.method}, ${callback.origin}, ${callback.safety}, ${callback.repeat},
              ${callback.sealedUrl}, ${callback.sealedHeaders}, ${callback.sealedBody}, ${callback.sealedIdempotencyKey},
              clock_timestamp(), case when ${gate.allowed} then clock_timestamp() end, ${callback.deadlineAt},
              ${callback.orderingHash}, ${callback.status?.sealed ?? null}, ${callback.status?.settleAfterMs ?? null}, ${callback.passesHeld},
              ${gate.generation})
      on conflict (service_id, key_hash) do nothing returning id`;
    if (row !== undefined) return { kind: 'created', id: row.id, state };
    // Committed after the first look and before the lock was had.
    const late = await findRecorded(tx, callback, tx`true`);
    if (late.recorded === null) throw new Error('a conflicting callback vanished');
    return late.recorded;
  });
}

/**
 * Of all transactions that take something over under this service and key, one has the lock until it ends, in whatever way:
 * committed, rolled back, or with its process. A row lock would need a row, and an index entry would be waited for.
 */
function tryLockKey(tx: Transaction, { service, keyHash }: NewCallback) {
  return tx`pg_try_advisory_xact_lock(hashtextextended(${service}::text || ':' || encode(${keyHash}::bytea, 'hex'), 0))`;
}

/** What is committed under this service and key, null for nothing; and whether the lock was had. */
async function findRecorded(
  tx: Transaction,
  { service, keyHash, payloadHash }: NewCallback,
  lock: ReturnType<typeof tryLockKey>,
): Promise<{ locked: boolean; recorded: CreatedCallback | null }> {
  const [row] = await tx<{ locked: boolean; id: string | null; same: boolean }[]>`
    select ${lock} as locked, c.id, c.payload_hash = ${payloadHash} as same from (select 1) one
    left join (callback c join service s on s.id = c.service_id and s.name = ${service} and s.retired_at is null)
      on c.key_hash = ${keyHash}`;
  if (row === undefined || row.id === null) return { locked: row?.locked === true, recorded: null };
  return { locked: row.locked, recorded: row.same ? { kind: 'replayed', id: row.id } : { kind: 'payload_differs' } };
}
