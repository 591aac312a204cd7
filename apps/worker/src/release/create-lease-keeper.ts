import {
  ATTEMPT_LEASE,
  BEGINNING_GOOD_FOR_MS,
  type ClockPair,
  elapsedOf,
  judgeBeginning,
  judgeLease,
  type Withheld,
} from '@tidegate/core';
import { errorCode } from '@tidegate/runtime';
import { type HeldLease, readBeginnings, renewLeases } from '@tidegate/store';
import { createBatcher } from '../wake/create-batcher.ts';
import { createDrain } from '../wake/create-drain.ts';
import type { WorkerContext } from '../worker-context.ts';

/** The lease of one attempt, kept while its request is under way. */
export interface KeptLease {
  /**
   * Asks Postgres what keeps its first byte back: its lease, its gate or its deadline; null for nothing. To be asked once
   * the connection stands, right before that byte. Rejects when there is no answer.
   */
  ask(): Promise<Withheld | null>;
  /** Whether the first byte may be written now: nothing kept it back when it was asked, which was a moment ago. */
  mayBegin(): boolean;
  /** Aborts once the lease is lost. */
  readonly signal: AbortSignal;
  /** Ends the keeping; the lease itself ends with its attempt. */
  letGo(): void;
}

export interface LeaseKeeper {
  /** @param claimedAt when the claim was asked for, before it was answered */
  keep(lease: HeldLease, claimedAt: ClockPair): KeptLease;
  stop(): Promise<void>;
}

const LOOK_EVERY_MS = 500;
const LARGEST_BATCH = 256;

interface Kept {
  readonly lease: HeldLease;
  readonly lost: AbortController;
  /** When the claim or the last renewal that succeeded was asked for. */
  since: ClockPair;
  /** When it was asked whether it may begin, and for how long from then the answer is good; null before, and for no. */
  admitted: { readonly askedAt: ClockPair; readonly goodForMs: number } | null;
}

/** Both clocks now; the lease counts the one that went further. */
export function readClocks(): ClockPair {
  return { monotonicMs: performance.now(), wallMs: Date.now() };
}

/**
 * Renews the leases of this worker's attempts while they last, all that are due in one statement, and breaks off the request of
 * one that is lost: taken for dead by somebody else, or not renewed in time.
 */
export function createLeaseKeeper({ sql, log, config }: Pick<WorkerContext, 'sql' | 'log' | 'config'>): LeaseKeeper {
  const kept = new Set<Kept>();
  const standing = ({ since }: Kept) => judgeLease(elapsedOf(since, readClocks()), ATTEMPT_LEASE);
  const readBeginning = createBatcher(
    (leases: readonly HeldLease[]) => readBeginnings(sql, leases, config.receiver.silentAfterMs),
    LARGEST_BATCH,
  );

  async function ask(one: Kept): Promise<Withheld | null> {
    const askedAt = readClocks();
    const facts = await readBeginning(one.lease);
    const withheld = judgeBeginning(facts);
    const goodForMs = Math.min(BEGINNING_GOOD_FOR_MS, facts.deadlineInMs ?? Infinity);
    one.admitted = withheld === null ? { askedAt, goodForMs } : null;
    return withheld;
  }

  function mayBegin(one: Kept): boolean {
    const { admitted, lost } = one;
    if (admitted === null || lost.signal.aborted) return false;
    if (elapsedOf(admitted.askedAt, readClocks()) >= admitted.goodForMs) return false;
    return standing(one) === 'fresh' || standing(one) === 'due';
  }

  async function renewDue(): Promise<void> {
    const due = [...kept].filter((one) => standing(one) !== 'fresh');
    if (due.length === 0) return;
    const askedAt = readClocks();
    const leases = due.map((one) => one.lease);
    const { renewed, lost } = await renewLeases(sql, leases, ATTEMPT_LEASE.leaseMs);
    for (const index of renewed) Object.assign(due[index] ?? {}, { since: askedAt });
    for (const index of lost) due[index]?.lost.abort();
  }

  const renewing = createDrain(renewDue);
  const timer = setInterval(() => {
    // Not after the renewal: a database that does not answer is no reason to go on.
    for (const one of kept) if (standing(one) === 'lost') one.lost.abort();
    renewing
      .wake()
      .catch((error: unknown) => log.warn('store.unavailable', { operation: 'leases', code: errorCode(error) }));
  }, LOOK_EVERY_MS);

  return {
    keep(lease, claimedAt) {
      const one: Kept = { lease, lost: new AbortController(), since: claimedAt, admitted: null };
      kept.add(one);
      return {
        ask: () => ask(one),
        mayBegin: () => mayBegin(one),
        signal: one.lost.signal,
        letGo: () => void kept.delete(one),
      };
    },
    async stop() {
      clearInterval(timer);
      await renewing.stop();
    },
  };
}
