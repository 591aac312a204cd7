import type { GateState, Hand, HandMove, HandOrder, SafeName, TimelineEvent } from '@tidegate/core';
import type { Transaction } from '../database/connect.ts';
import { addTimeline } from '../incident/add-timeline.ts';
import { reconcile } from '../reconciliation/reconcile.ts';

/** A gate row locked by this transaction. */
export interface LockedGate {
  readonly serviceId: number;
  readonly service: string;
  readonly state: GateState;
  readonly hand: Hand | null;
  readonly since: Date;
}

export interface HandChange {
  readonly move: Extract<HandMove, { kind: 'moved' }>;
  readonly order: HandOrder;
  /** Null when its time was over. */
  readonly by: SafeName | null;
  readonly reason: SafeName | null;
  /** Milliseconds until it ends by itself; null for a release. */
  readonly forMs: number | null;
}

/** What became of a gate. */
export interface HandMoved {
  readonly hand: Hand | null;
  readonly state: GateState;
  readonly generation: number;
  readonly expiresAt: Date | null;
  readonly shuts: boolean;
  readonly opens: boolean;
}

/** Saves what a person's order does to a gate, and tells its open incidents. Lock order: gate, incident, callback. */
export async function saveHand(tx: Transaction, gate: LockedGate, change: HandChange): Promise<HandMoved> {
  const { move, by, reason, forMs } = change;
  const [row] = await tx<{ generation: number; handExpiresAt: Date | null }[]>`
    update gate set
      state = ${move.state}, reason = ${move.reason}, generation = generation + 1,
      hand = ${move.hand}, hand_actor = ${move.hand === null ? null : by}, hand_reason = ${move.hand === null ? null : reason},
      hand_expires_at = clock_timestamp() + make_interval(secs => ${forMs}::float8 / 1000.0),
      since = case when ${move.opens || move.shuts} then clock_timestamp() else since end,
      verify_due_at = case when ${move.verify} then clock_timestamp() end, verify_attempt = 0, verify_run = null, passes = 0,
      opened_by = null, opened_by_started_at = null
    where service_id = ${gate.serviceId} returning generation, hand_expires_at`;
  if (row === undefined) throw new Error('a locked gate is gone');
  await tellIncidents(tx, gate.serviceId, toEvent(gate.service, change));
  if (move.opens) {
    const { serviceId, since: shutSince } = gate;
    await reconcile(tx, { serviceId, generation: row.generation, trigger: 'release', shutSince });
  } else if (move.hand === null) {
    // Nothing but a person's hold keeps those; the gate itself does not.
    const { serviceId } = gate;
    await reconcile(tx, { serviceId, generation: row.generation, trigger: 'attempt', shutSince: null, passing: true });
  }
  const { hand, state, opens, shuts } = move;
  return { hand, state, generation: row.generation, expiresAt: row.handExpiresAt, opens, shuts };
}

function toEvent(service: string, { order, by, reason }: HandChange): TimelineEvent {
  if (order === 'release' || by === null || reason === null) return { event: 'gate.hand_ended', service, by };
  return { event: order === 'hold' ? 'gate.held_by_hand' : 'gate.forced_open', service, by, reason };
}

async function tellIncidents(tx: Transaction, serviceId: number, event: TimelineEvent): Promise<void> {
  const incidents = await tx<{ id: string }[]>`
    select i.id from incident i join incident_service x on x.incident_id = i.id
    where x.service_id = ${serviceId} and i.state <> 'resolved' order by i.id`;
  for (const { id } of incidents) await addTimeline(tx, id, event);
}
