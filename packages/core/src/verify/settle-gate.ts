import type { GateReason, GateState } from '../model/gate.ts';
import { countPasses } from './count-passes.ts';

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

export type GateSettlement =
  | { readonly kind: 'overtaken' }
  | {
      readonly kind: 'settled';
      readonly change: 'opened' | 'shut' | 'none';
      readonly state: GateState;
      readonly reason: GateReason;
      readonly generation: number;
      readonly passes: number;
      /** When to verify again: after a pass, after a failure, or as the periodic re-check of an open gate. */
      readonly next: 'every' | 'backoff' | 'recheck';
    };

/**
 * What the end of a verification does to its gate. A run that is no longer the gate's run, or that began under another
 * generation, does nothing (I6). One pass is not enough unless the policy says so; a failed re-check shuts an open gate.
 * @param required passes in a row that open the gate (`verify.passes`)
 * @param held whether callbacks wait for this gate: then it opens as `releasing`
 */
export function settleGate(gate: SettlingGate, run: EndedRun, required: number, held: boolean): GateSettlement {
  if (gate.run !== run.id || gate.generation !== run.generation) return { kind: 'overtaken' };
  const isOpen = gate.state === 'open' || gate.state === 'releasing';
  if (isOpen) return settleOpenGate(gate, run);
  const count = countPasses(
    { generation: gate.generation, passGeneration: gate.passGeneration, passes: gate.passes },
    { startedGeneration: run.generation, passed: run.outcome === 'passed' },
    required,
  );
  if (count.opens) {
    const state = held ? 'releasing' : 'open';
    return {
      ...kept(gate),
      kind: 'settled',
      change: 'opened',
      state,
      reason: 'verified',
      passes: count.passes,
      next: 'recheck',
    };
  }
  const next = run.outcome === 'passed' ? 'every' : 'backoff';
  // A drop that was reported stays the reason an agent host reads until it is over.
  const reason = run.outcome === 'failed' && gate.reason !== 'disconnected' ? 'verification_failed' : gate.reason;
  return { ...kept(gate), kind: 'settled', change: 'none', state: 'held', reason, passes: count.passes, next };
}

function settleOpenGate(gate: SettlingGate, run: EndedRun): GateSettlement {
  if (run.outcome !== 'failed') return { ...kept(gate), kind: 'settled', change: 'none', next: 'recheck' };
  return {
    kind: 'settled',
    change: 'shut',
    state: 'held',
    reason: 'verification_failed',
    generation: gate.generation + 1,
    passes: 0,
    next: 'every',
  };
}

function kept(gate: SettlingGate): Pick<SettlingGate, 'state' | 'reason' | 'generation' | 'passes'> {
  return { state: gate.state, reason: gate.reason, generation: gate.generation, passes: gate.passes };
}
