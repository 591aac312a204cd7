/** How long a claim of one attempt is good, and what its worker does about it. Milliseconds. */
export interface LeaseTerms {
  /** From the claim, and from each renewal. */
  readonly leaseMs: number;
  /** After this the worker renews, so that two renewals may fail before the lease is lost. */
  readonly renewAfterMs: number;
  /** No first byte is written in the last of it: what was written must arrive while the lease still holds. */
  readonly marginMs: number;
}

/** Recovery after a dead worker takes about one lease; an event loop or a database that is away for longer loses attempts. */
export const ATTEMPT_LEASE: LeaseTerms = { leaseMs: 10_000, renewAfterMs: 3000, marginMs: 1000 };

/** Two clocks of one process, in milliseconds. */
export interface ClockPair {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

/**
 * Time since `before`. The monotonic clock stands still while a machine is suspended, the wall clock may be set back: the
 * larger counts, so that neither stretches a lease.
 */
export function elapsedOf(before: ClockPair, now: ClockPair): number {
  return Math.max(0, now.monotonicMs - before.monotonicMs, now.wallMs - before.wallMs);
}

/**
 * Where a lease stands for the worker that holds it. `fresh`: nothing to do. `due`: to be renewed. `closing`: to be renewed,
 * and no first byte meanwhile. `lost`: whoever finds it may take the attempt for ambiguous, so its request is broken off.
 * @param elapsedMs since the claim or the last renewal was asked for, not since it was answered
 */
export type LeaseStanding = 'fresh' | 'due' | 'closing' | 'lost';
export function judgeLease(elapsedMs: number, terms: LeaseTerms): LeaseStanding {
  if (elapsedMs >= terms.leaseMs) return 'lost';
  if (elapsedMs >= terms.leaseMs - terms.marginMs) return 'closing';
  return elapsedMs >= terms.renewAfterMs ? 'due' : 'fresh';
}

/** An attempt as it is stored; `token` and `generation` are those it was claimed under. */
export interface StoredLease {
  readonly token: string | null;
  readonly generation: number;
  readonly untilMs: number;
  readonly finished: boolean;
}

/** Who asks: a worker by what it was given when it claimed, or whoever ends what a dead one left. */
export interface LeaseClaim {
  readonly token: string | null;
  readonly generation: number;
}

function isOpenUnder(stored: StoredLease, claim: LeaseClaim): boolean {
  return !stored.finished && stored.token === claim.token && stored.generation === claim.generation;
}

/**
 * Whether a worker still holds an attempt: may renew its lease, and may write down how it ended. Never once the lease has run
 * out, though nobody has noticed yet: from then on the attempt is ambiguous, whatever its worker knows. The reference for
 * what `renewLeases` and `finishAttempts` do in SQL, by Postgres' clock.
 */
export function holdsLease(stored: StoredLease, claim: LeaseClaim, nowMs: number): boolean {
  return isOpenUnder(stored, claim) && stored.untilMs > nowMs;
}

/** Whether an attempt is nobody's any more and is to be ended as one that may have been received. */
export function isLeaseLost(stored: StoredLease, claim: LeaseClaim, nowMs: number): boolean {
  return isOpenUnder(stored, claim) && stored.untilMs <= nowMs;
}
