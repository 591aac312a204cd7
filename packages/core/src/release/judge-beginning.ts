import type { GateState } from '../model/gate.ts';

/** What Postgres says of an attempt whose connection stands and that has not written a byte yet. */
export interface BeginningFacts {
  /** Its worker still holds it. */
  readonly holdsLease: boolean;
  /** The gate's generation it was claimed under. */
  readonly generation: number;
  readonly gateState: GateState;
  readonly gateGeneration: number;
  /** What a person ordered of the gate; null for nothing. */
  readonly hand: 'held' | 'open' | null;
  /** Declared safe, and declared to pass a gate that is held. */
  readonly passesHeld: boolean;
  /** No registered receiver is silent. */
  readonly receiversHeard: boolean;
  /** Milliseconds until its deadline; null when it has none. */
  readonly deadlineInMs: number | null;
}

/** Why no first byte may be written. */
export type Withheld = 'lease_expired' | 'gate_held' | 'deadline_passed';

/** An answer this old says nothing of the gate any more: a worker that was frozen meanwhile writes nothing. Milliseconds. */
export const BEGINNING_GOOD_FOR_MS = 2000;

/**
 * Whether an attempt may write its first byte: connecting may have taken half a minute since the claim, and the gate may be
 * shut or another by now (I7). What a claim would refuse is refused here: another generation, a silent receiver, a deadline.
 * Exempt as there: what is declared to pass a held gate, unless a person holds it; and a gate that a person forced open.
 * @returns null when it may begin
 */
export function judgeBeginning(facts: BeginningFacts): Withheld | null {
  if (!facts.holdsLease) return 'lease_expired';
  if (facts.deadlineInMs !== null && facts.deadlineInMs <= 0) return 'deadline_passed';
  if (facts.hand === 'open') return null;
  if (!facts.receiversHeard) return 'gate_held';
  if (facts.passesHeld && facts.hand === null) return null;
  const allowed = facts.gateState === 'open' || facts.gateState === 'releasing';
  return allowed && facts.gateGeneration === facts.generation ? null : 'gate_held';
}
