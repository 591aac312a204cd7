import type { CallbackState, RepeatContract } from '@tidegate/core';
import type { Sql } from '../database/connect.ts';
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
}

export type CreatedCallback =
  | { readonly kind: 'created'; readonly id: string; readonly state: CallbackState }
  /** The same key and payload were handed over before: the recorded one stands. */
  | { readonly kind: 'replayed'; readonly id: string }
  | { readonly kind: 'payload_differs' }
  | { readonly kind: 'unknown_service' };

/**
 * Takes a callback over: `queued` when the gate allows sending at this moment, else `held`. One row per service and key,
 * however many copies race (I8). Lock order: gate, callback.
 */
export async function createCallback(sql: Sql, callback: NewCallback): Promise<CreatedCallback> {
  return inTransaction(sql, async (tx) => {
    const [gate] = await tx<{ serviceId: number; allowed: boolean }[]>`
      select g.service_id, g.state in ('open', 'releasing') as allowed
      from gate g join service s on s.id = g.service_id
      where s.name = ${callback.service} and s.retired_at is null for no key update of g`;
    if (gate === undefined) return { kind: 'unknown_service' };
    const state = gate.allowed ? 'queued' : 'held';
    const [row] = await tx<{ id: string }[]>`
      insert into callback (id, service_id, key_hash, payload_hash, state, reason, method, origin, safety, repeat, sealed_url,
                            sealed_headers, sealed_body, sealed_idempotency_key, created_at, due_at, deadline_at)
      values (${callback.id}, ${gate.serviceId}, ${callback.keyHash}, ${callback.payloadHash}, ${state},
              ${gate.allowed ? 'gate_open' : 'gate_held'}, ${callback.method}, ${callback.origin}, ${callback.safety}, ${callback.repeat},
              ${callback.sealedUrl}, ${callback.sealedHeaders}, ${callback.sealedBody}, ${callback.sealedIdempotencyKey},
              clock_timestamp(), case when ${gate.allowed} then clock_timestamp() end, ${callback.deadlineAt})
      on conflict (service_id, key_hash) do nothing returning id`;
    if (row !== undefined) return { kind: 'created', id: row.id, state };
    const [before] = await tx<{ id: string; payloadHash: Buffer }[]>`
      select id, payload_hash from callback where service_id = ${gate.serviceId} and key_hash = ${callback.keyHash}`;
    if (before === undefined) throw new Error('a conflicting callback vanished');
    return before.payloadHash.equals(callback.payloadHash)
      ? { kind: 'replayed', id: before.id }
      : { kind: 'payload_differs' };
  });
}
