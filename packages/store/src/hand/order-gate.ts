import { type HandOrder, moveHand, type SafeName, type SignAudit } from '@tidegate/core';
import { type Audited, inAuditedTransaction } from '../audit/in-audited-transaction.ts';
import { hasHeldCallbacks } from '../callback/has-held-callbacks.ts';
import type { Sql, Transaction } from '../database/connect.ts';
import { type HandMoved, type LockedGate, saveHand } from './save-hand.ts';

/** A person's order about one gate. Names and reasons are sanitised by the caller. */
export interface GateOrder {
  readonly service: string;
  readonly actor: SafeName;
  /** Needed to hold and to force open; may be left out when taking it back. */
  readonly reason: SafeName | null;
  /** Row id of the API key that asked, for the trail; null for the command line. */
  readonly keyId: string | null;
}

/** One that ends by itself. */
export interface TimedGateOrder extends GateOrder {
  readonly reason: SafeName;
  /** Milliseconds from now, by Postgres' clock. */
  readonly forMs: number;
}

export type OrderedGate =
  | ({ readonly kind: 'moved' } & HandMoved)
  | { readonly kind: 'unknown_service' }
  /** Nobody holds it or forces it open, so there is nothing to take back. */
  | { readonly kind: 'no_hand' };

/** Holds a gate by hand: nothing opens it until this is taken back or its time is over. A new generation, one audit row. */
export function holdGate(sql: Sql, order: TimedGateOrder, sign: SignAudit): Promise<Audited<OrderedGate>> {
  return orderGate(sql, 'hold', order, order.forMs, sign);
}

/**
 * Opens a gate by hand: nothing shuts it until this is taken back or its time is over, not even a Disconnected (DESIGN §3,
 * I2). Callbacks that waited for it go. A new generation, one audit row.
 */
export function forceOpenGate(sql: Sql, order: TimedGateOrder, sign: SignAudit): Promise<Audited<OrderedGate>> {
  return orderGate(sql, 'force_open', order, order.forMs, sign);
}

/** Takes a hold or a forced opening back: the gate is held under a new generation until verification has passed. */
export function releaseGate(sql: Sql, order: GateOrder, sign: SignAudit): Promise<Audited<OrderedGate>> {
  return orderGate(sql, 'release', order, null, sign);
}

const ACTIONS = { hold: 'gate.hold', force_open: 'gate.force_open', release: 'gate.release' } as const;

async function orderGate(
  sql: Sql,
  order: HandOrder,
  { service, actor, reason, keyId }: GateOrder,
  forMs: number | null,
  sign: SignAudit,
): Promise<Audited<OrderedGate>> {
  return inAuditedTransaction<OrderedGate>(sql, sign, async (tx) => {
    const gate = await lockGate(tx, service);
    if (gate === null) return { outcome: { kind: 'unknown_service' }, entry: null };
    const move = moveHand(gate, order, await hasHeldCallbacks(tx, gate.serviceId));
    if (move.kind === 'no_hand') return { outcome: move, entry: null };
    const moved = await saveHand(tx, gate, { move, order, by: actor, reason, forMs });
    const facts = {
      generation: moved.generation,
      before: gate.state,
      until: moved.expiresAt?.toISOString() ?? null,
      key: keyId,
    };
    const entry = { actor, action: ACTIONS[order], target: service, reason, facts };
    return { outcome: { kind: 'moved', ...moved }, entry };
  });
}

async function lockGate(tx: Transaction, service: string): Promise<LockedGate | null> {
  const [gate] = await tx<LockedGate[]>`
    select g.service_id, s.name as service, g.state, g.hand, g.since from gate g join service s on s.id = g.service_id
    where s.name = ${service} and s.retired_at is null for no key update of g`;
  return gate ?? null;
}
