import type { EndedRun, GateSettlement, SettlingGate } from './settle-gate.ts';

/**
 * Whether a run shows that its gate is shut again faster than it can be opened: the generation was raised while the run was
 * under way, or a pass did not open a gate whose source is being turned away, which takes the passes back each time. Where that
 * lasts, no verification ever says what is wrong, so its end must be able to tell. What a person holds is no such gate.
 * @param gate as it was when the run ended, before the settlement
 */
export function isKeptShut(gate: SettlingGate, run: EndedRun, settlement: GateSettlement): boolean {
  const isShut = gate.state === 'held' || gate.state === 'verifying';
  if (!isShut || gate.reason === 'held_by_hand') return false;
  if (settlement.kind === 'overtaken') return gate.generation !== run.generation;
  return run.outcome === 'passed' && settlement.state === 'held' && gate.reason === 'rate_limited';
}
