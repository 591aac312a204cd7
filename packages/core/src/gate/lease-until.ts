import type { GateRow } from './decide-gate.ts';

/** What the length of a lease rests on; instants are milliseconds of one clock. */
export interface LeaseFacts {
  readonly readAtMs: number;
  /** When the first registered receiver would count as silent; null when none is registered. */
  readonly heardUntilMs: number | null;
  readonly silentAfterMs: number;
}

/** The most that a client with a lease can be behind. */
const LONGEST_LEASE_MS = 5000;

/**
 * Until when an `allowed` may be acted on. Never longer than the receivers are known to be heard, nor longer than one that
 * registers after the read could take to fall silent: so no client acts on a lease while a receiver is silent (I2). A gate that
 * a person forced open is exempt.
 */
export function leaseUntil({ reason }: GateRow, { readAtMs, heardUntilMs, silentAfterMs }: LeaseFacts): number {
  if (reason === 'forced_open') return readAtMs + LONGEST_LEASE_MS;
  const longestMs = readAtMs + Math.min(LONGEST_LEASE_MS, silentAfterMs);
  return heardUntilMs === null ? longestMs : Math.min(longestMs, heardUntilMs);
}
