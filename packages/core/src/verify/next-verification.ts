/**
 * How the last run ended: `passed` and more passes are wanted, `failed` (or inconclusive), or the gate has `opened`.
 */
export type LastRun = 'passed' | 'failed' | 'opened';

export interface VerificationPace {
  readonly everyMs: number;
  readonly recheckEveryMs: number;
}

const MAX_BACKOFF_MS = 30_000;
const BACKOFF_FLOOR = 0.1;
const RECHECK_SPREAD = 0.1;

/**
 * Milliseconds until the next run of a gate, at least 1. After a pass: `everyMs`. After the nth failure in a row
 * (`attempt`, from 1): a random part of `everyMs` doubled n−1 times, capped at 30 s, never less than a tenth of it.
 * Once open: `recheckEveryMs`, up to a tenth earlier so that services do not run in step. `random01` is in [0, 1).
 * Source: DESIGN §6.
 */
export function nextVerification(last: LastRun, attempt: number, pace: VerificationPace, random01: number): number {
  if (last === 'passed') return Math.max(1, Math.round(pace.everyMs));
  if (last === 'opened') return Math.max(1, Math.round(pace.recheckEveryMs * (1 - RECHECK_SPREAD * random01)));
  const doublings = Math.max(0, attempt - 1);
  const ceilingMs = Math.min(MAX_BACKOFF_MS, pace.everyMs * 2 ** doublings);
  return Math.max(1, Math.round(ceilingMs * (BACKOFF_FLOOR + (1 - BACKOFF_FLOOR) * random01)));
}
