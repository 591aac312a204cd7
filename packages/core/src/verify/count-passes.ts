/** The part of a gate row that counts passes: `passes` in a row, all begun under `passGeneration`. */
export interface PassCount {
  readonly generation: number;
  readonly passGeneration: number;
  readonly passes: number;
}

/** One finished verification run; `startedGeneration` is what the gate said when the run began. */
export interface FinishedRun {
  readonly startedGeneration: number;
  readonly passed: boolean;
}

export interface PassDecision {
  readonly passes: number;
  readonly passGeneration: number;
  readonly opens: boolean;
  readonly reason: 'stale_generation' | 'failed' | 'more_needed' | 'enough';
}

/**
 * Counts a run towards opening a gate. Only runs that began under the gate's present generation count, a failed one
 * starts over, and `required` in a row open (less than 1 counts as 1). Timestamps play no part. Source: DESIGN §6, I6.
 */
export function countPasses(gate: PassCount, run: FinishedRun, required: number): PassDecision {
  const { generation } = gate;
  const before = gate.passGeneration === generation ? gate.passes : 0;
  if (run.startedGeneration !== generation) {
    return { passes: before, passGeneration: generation, opens: false, reason: 'stale_generation' };
  }
  if (!run.passed) return { passes: 0, passGeneration: generation, opens: false, reason: 'failed' };
  const passes = before + 1;
  const opens = passes >= Math.max(1, required);
  return { passes, passGeneration: generation, opens, reason: opens ? 'enough' : 'more_needed' };
}
