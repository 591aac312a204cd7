import type { DestinationHealth } from './weigh-destination.ts';

/** Whether a destination is worth asking, as stored; separate from every gate, which is about our own connectivity. */
export interface Circuit {
  readonly state: 'closed' | 'open' | 'half_open';
  /** While closed: failures in a row. */
  readonly failures: number;
  /** While half-open: answers since. */
  readonly successes: number;
  /** Times it has opened since it was last closed; drives how long it stays open. */
  readonly openings: number;
  /** Epoch ms; until then nothing is sent. */
  readonly openUntilMs: number;
}

export const CLOSED_CIRCUIT: Circuit = { state: 'closed', failures: 0, successes: 0, openings: 0, openUntilMs: 0 };

/** Failures in a row that open a circuit. */
const OPENS_AT = 5;
/** Answers, while half-open, that close it. */
const CLOSES_AT = 2;
/** Attempts at once while half-open. */
const PERMITS = 2;
const FIRST_OPEN_MS = 5000;
const LONGEST_OPEN_MS = 60_000;

export interface CircuitPlan {
  readonly circuit: Circuit;
  /** How many attempts may begin now; null is no limit. */
  readonly permits: number | null;
}

/**
 * Whether attempts may begin at a destination. Open: none until its time is over; then half-open, with few permits at once,
 * counted from what is really under way, so that none can leak.
 * @param inFlight attempts under way at this destination, of whatever service
 */
export function planCircuit(circuit: Circuit, inFlight: number, nowMs: number): CircuitPlan {
  if (circuit.state === 'closed') return { circuit, permits: null };
  if (circuit.state === 'open' && nowMs < circuit.openUntilMs) return { circuit, permits: 0 };
  const halfOpen: Circuit = circuit.state === 'open' ? { ...circuit, state: 'half_open', successes: 0 } : circuit;
  return { circuit: halfOpen, permits: Math.max(0, PERMITS - inFlight) };
}

/** The circuit after an attempt. A late answer while it is open changes nothing: only those with a permit count. */
export function settleCircuit(circuit: Circuit, health: DestinationHealth, nowMs: number): Circuit {
  if (health === 'none' || health === 'busy' || circuit.state === 'open') return circuit;
  if (health === 'healthy') {
    const successes = circuit.state === 'half_open' ? circuit.successes + 1 : 0;
    return circuit.state === 'closed' || successes >= CLOSES_AT ? CLOSED_CIRCUIT : { ...circuit, successes };
  }
  const failures = circuit.failures + 1;
  if (circuit.state === 'closed' && failures < OPENS_AT) return { ...circuit, failures };
  const openMs = Math.min(LONGEST_OPEN_MS, FIRST_OPEN_MS * 2 ** Math.min(circuit.openings, 10));
  return { state: 'open', failures: 0, successes: 0, openings: circuit.openings + 1, openUntilMs: nowMs + openMs };
}
