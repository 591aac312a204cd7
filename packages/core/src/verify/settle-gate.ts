import type { GateReason, GateState } from '../model/gate.ts';
import { countPasses, type PassDecision } from './count-passes.ts';

/** The gate row as it is while locked by the transaction that ends a verification. */
export interface SettlingGate {
  readonly state: GateState;
  readonly reason: GateReason;
  readonly generation: number;
  readonly run: string | null;
  readonly passes: number;
  readonly passGeneration: number;
}

/** A verification that has ended. `inconclusive` proved neither health nor a fault. */
export interface EndedRun {
  readonly id: string;
  readonly generation: number;
  readonly outcome: 'passed' | 'failed' | 'inconclusive';
}

/** What keeps a run from opening the gate, whatever it found. */
export interface OpeningVeto {
  /** An open incident of the service is flapping: until it settles no run opens the gate or counts. */
  readonly flapping: boolean;
  /** A registered receiver is silent and may hold a Disconnected: passes count, but until it is heard none opens or proves. */
  readonly receiverSilent: boolean;
}

export type GateSettlement =
  | { readonly kind: 'overtaken' }
  | {
      readonly kind: 'settled';
      readonly change: 'opened' | 'shut' | 'none';
      readonly state: GateState;
      readonly reason: GateReason;
      readonly generation: number;
      readonly passes: number;
      /** The gate stands open on the evidence of this run: incidents may end by it. A forced opening alone proves nothing. */
      readonly proves: boolean;
      /** When to verify again: after a pass, after a failure, or as the periodic re-check of an open gate. */
      readonly next: 'every' | 'backoff' | 'recheck';
    };

/**
 * What the end of a verification does to its gate. A run that is no longer the gate's run, or that began under another
 * generation, does nothing (I6). One pass is not enough unless the policy says so; a failed re-check shuts an open gate, but
 * not one that a person forced open: there a run only counts, and enough passes in a row are evidence all the same.
 * @param required passes in a row that open the gate (`verify.passes`)
 * @param held whether callbacks wait for this gate: then it opens as `releasing`
 */
export function settleGate(
  gate: SettlingGate,
  run: EndedRun,
  required: number,
  held: boolean,
  veto: OpeningVeto,
): GateSettlement {
  if (gate.run !== run.id || gate.generation !== run.generation) return { kind: 'overtaken' };
  if (veto.flapping) return holdFlapping(gate);
  const isOpen = gate.state === 'open' || gate.state === 'releasing';
  if (isOpen && gate.reason !== 'forced_open') return settleOpenGate(gate, run, veto);
  const count = countPasses(
    { generation: gate.generation, passGeneration: gate.passGeneration, passes: gate.passes },
    { startedGeneration: run.generation, passed: run.outcome === 'passed' },
    required,
  );
  if (isOpen) return settleForcedGate(gate, run, count, veto);
  if (count.opens && veto.receiverSilent) return awaitReceiver(gate, count);
  if (count.opens) {
    const state = held ? 'releasing' : 'open';
    return {
      ...kept(gate),
      kind: 'settled',
      change: 'opened',
      state,
      reason: 'verified',
      passes: count.passes,
      proves: true,
      next: 'recheck',
    };
  }
  const next = run.outcome === 'passed' ? 'every' : 'backoff';
  // A drop that was reported stays the reason an agent host reads until it is over.
  const reason = run.outcome === 'failed' && gate.reason !== 'disconnected' ? 'verification_failed' : gate.reason;
  const proves = false;
  return { ...kept(gate), kind: 'settled', change: 'none', state: 'held', reason, passes: count.passes, proves, next };
}

/** A pass says nothing about the next minute of a connection that keeps coming and going. */
function holdFlapping(gate: SettlingGate): GateSettlement {
  const wasOpen = gate.state === 'open' || gate.state === 'releasing';
  if (gate.reason === 'forced_open') {
    return { ...kept(gate), kind: 'settled', change: 'none', passes: 0, proves: false, next: 'backoff' };
  }
  return {
    kind: 'settled',
    change: wasOpen ? 'shut' : 'none',
    state: 'held',
    reason: 'flapping',
    generation: wasOpen ? gate.generation + 1 : gate.generation,
    passes: 0,
    proves: false,
    next: 'backoff',
  };
}

/** Passed often enough: once the receiver is heard, the next pass opens. */
function awaitReceiver(gate: SettlingGate, { passes }: PassDecision): GateSettlement {
  const reason = 'receiver_silent';
  return {
    ...kept(gate),
    kind: 'settled',
    change: 'none',
    state: 'held',
    reason,
    passes,
    proves: false,
    next: 'every',
  };
}

function settleForcedGate(
  gate: SettlingGate,
  run: EndedRun,
  { passes, opens }: PassDecision,
  { receiverSilent }: OpeningVeto,
): GateSettlement {
  const next = opens ? 'recheck' : run.outcome === 'passed' ? 'every' : 'backoff';
  return { ...kept(gate), kind: 'settled', change: 'none', passes, proves: opens && !receiverSilent, next };
}

function settleOpenGate(gate: SettlingGate, run: EndedRun, { receiverSilent }: OpeningVeto): GateSettlement {
  if (run.outcome !== 'failed') {
    const proves = run.outcome === 'passed' && !receiverSilent;
    return { ...kept(gate), kind: 'settled', change: 'none', proves, next: 'recheck' };
  }
  return {
    kind: 'settled',
    change: 'shut',
    state: 'held',
    reason: 'verification_failed',
    generation: gate.generation + 1,
    passes: 0,
    proves: false,
    next: 'every',
  };
}

function kept(gate: SettlingGate): Pick<SettlingGate, 'state' | 'reason' | 'generation' | 'passes'> {
  return { state: gate.state, reason: gate.reason, generation: gate.generation, passes: gate.passes };
}
