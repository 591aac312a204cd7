import type { GateReason, GateState } from '../model/gate.ts';

/** The gate row as read for this answer. */
export interface GateRow {
  readonly state: GateState;
  readonly reason: GateReason;
}

export interface GateFacts {
  /** Every registered receiver's heartbeat is recent enough. */
  readonly receiversFresh: boolean;
  /** Polling is configured and has not confirmed the subject for 3 × `pollEvery`. */
  readonly unknown: boolean;
}

export interface GateDecision {
  readonly decision: 'allowed' | 'held';
  readonly reason: GateReason;
}

const ALLOWING: Record<GateState, boolean> = { open: true, releasing: true, held: false, verifying: false };

/**
 * Whether a callback may be sent now: only through an `open` or `releasing` gate, with fresh receivers and a subject
 * that is not unknown. The row's own reason comes first, since it says what must change. A gate that a person forced open
 * is exempt, as from a Disconnected. Source of the rule: DESIGN §3 (I2) and §7.
 */
export function decideGate(gate: GateRow, facts: GateFacts): GateDecision {
  if (!ALLOWING[gate.state]) return { decision: 'held', reason: gate.reason };
  if (gate.reason === 'forced_open') return { decision: 'allowed', reason: gate.reason };
  if (!facts.receiversFresh) return { decision: 'held', reason: 'receiver_silent' };
  if (facts.unknown) return { decision: 'held', reason: 'unknown_subject' };
  return { decision: 'allowed', reason: gate.reason };
}
