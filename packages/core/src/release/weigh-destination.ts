import type { AttemptPhase } from '../model/callback.ts';

/**
 * What one attempt says of its destination. `healthy`: it answered, whatever it thought of the request. `busy`: it asked for
 * less. `failing`: it could not be reached, broke off, or said that it is broken. `none`: the attempt ended on our side.
 */
export type DestinationHealth = 'healthy' | 'busy' | 'failing' | 'none';

const BUSY: ReadonlySet<number> = new Set([408, 425, 429]);
/** Endings that the destination, or the way to it, has brought about; any other reason is of our own making. */
const FAILURES: ReadonlySet<string> = new Set([
  'refused',
  'unreachable',
  'dns',
  'tls',
  'reset',
  'timeout',
  'malformed',
]);

/** Weighs an attempt for the ramp and the circuit of its destination, which are about load, not about this one callback. */
export function weighDestination(attempt: {
  readonly phase: AttemptPhase;
  readonly status?: number | null | undefined;
  readonly reason: string;
}): DestinationHealth {
  if (attempt.phase !== 'answered') return FAILURES.has(attempt.reason) ? 'failing' : 'none';
  const status = attempt.status ?? 0;
  if (BUSY.has(status)) return 'busy';
  return status >= 200 && status < 500 ? 'healthy' : 'failing';
}
