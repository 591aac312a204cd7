import { setTimeout as delay } from 'node:timers/promises';
import { AppError, ATTEMPT_LEASE, type ClockPair } from '@tidegate/core';
import {
  type ClaimedCallback,
  claimCallbacks,
  claimLookups,
  endRelease,
  expireCallbacks,
  listExpiredLeases,
  readReleaseWork,
  reconcileOpenGates,
} from '@tidegate/store';
import { isRetryable } from '../wake/create-batcher.ts';
import type { Slots } from '../wake/create-slots.ts';
import type { WorkerContext } from '../worker-context.ts';
import { attemptCallback } from './attempt-callback.ts';
import type { Circuits } from './create-circuits.ts';
import type { Finisher } from './create-finisher.ts';
import { type KeptLease, type LeaseKeeper, readClocks } from './create-lease-keeper.ts';
import { type EndingOutcome, endAttempt } from './end-attempt.ts';
import { lookUp } from './look-up.ts';
import { rampOf, retryOf } from './policy-of.ts';

const DEAD_BATCH = 256;
const EXPIRED_BATCH = 1000;
const ATTEMPT_TIMEOUT_MS = 30_000;
const TELL_AGAIN_MS = 250;
const MOST_REFUSALS = 5;
/** A round takes half of what is free; what is left over begins when the room is woken by the end of any of them. */
const ROUNDS = 8;
const LOOKUP_TIMEOUT_MS = 10_000;
const LOOKUP_LEASE_MS = LOOKUP_TIMEOUT_MS + 15_000;

export interface ReleaseRoom {
  readonly context: WorkerContext;
  readonly finisher: Finisher;
  readonly leases: LeaseKeeper;
  readonly slots: Slots;
  /** Of their own: status pages that hang hold up no attempt. */
  readonly lookups: { readonly slots: Slots; readonly circuits: Circuits };
}

/**
 * Ends what is over, reconciles what nobody knows, and starts an attempt or a lookup for everything that may begin and has a
 * free slot. What a gate held is reconciled in the transaction that opens it.
 */
export async function releaseRoom(room: ReleaseRoom): Promise<void> {
  const { context } = room;
  const work = await readReleaseWork(context.sql);
  if (work.dead) await endDeadAttempts(room);
  if (work.expired) context.log.info('callbacks.expired', { count: await expireCallbacks(context.sql, EXPIRED_BATCH) });
  if (work.dead || work.unreconciled) await reconcileUnknown(context);
  if (work.lookups || work.dead || work.unreconciled) await startLookups(room);
  const begun = await startAttempts(room);
  // While something begins, no release is at its end.
  if (!work.releasing || begun > 0) return;
  for (const service of await endRelease(context.sql)) context.log.info('gate.released', { service });
}

async function reconcileUnknown({ sql, log }: WorkerContext): Promise<void> {
  const startedAtMs = performance.now();
  const count = await reconcileOpenGates(sql);
  if (count > 0) log.info('callbacks.reconciled', { count, durationMs: Math.round(performance.now() - startedAtMs) });
}

/** In rounds: each is shared out after what the one before it took. */
async function startLookups({ context, lookups: { slots, circuits } }: ReleaseRoom): Promise<void> {
  const { silentAfterMs } = context.config.receiver;
  for (let round = 0; round < ROUNDS; round += 1) {
    const free = slots.shares();
    if (free.total === 0) return;
    const shares = circuits.narrow(free, slots.holders());
    const terms = { limit: free.total, leaseMs: LOOKUP_LEASE_MS, silentAfterMs, shares };
    const claimed = await claimLookups(context.sql, terms);
    for (const lookup of claimed)
      slots.start(() => lookUp(context, lookup, { circuits, timeoutMs: LOOKUP_TIMEOUT_MS }), lookup);
    if (claimed.length < free.total) return;
  }
}

/** In rounds, as lookups. Answers how many it started. */
async function startAttempts(room: ReleaseRoom): Promise<number> {
  const { context, slots } = room;
  const { silentAfterMs } = context.config.receiver;
  const { leaseMs } = ATTEMPT_LEASE;
  let begun = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const shares = slots.shares();
    if (shares.total === 0) break;
    const claimedAt = readClocks();
    const options = { limit: shares.total, leaseMs, silentAfterMs, policyOf: rampOf(context.config), shares };
    const { claimed, againAt } = await claimCallbacks(context.sql, options);
    for (const callback of claimed) slots.start(() => sendOne(room, callback, claimedAt), callback);
    begun += claimed.length;
    if (againAt !== null)
      context.queue.publish([{ room: 'release', dueAtMs: againAt.getTime() }]).catch(() => undefined);
    if (claimed.length < shares.total) break;
  }
  return begun;
}

async function sendOne(room: ReleaseRoom, callback: ClaimedCallback, claimedAt: ClockPair): Promise<void> {
  const { context, leases } = room;
  const lease = leases.keep({ ...callback, callbackId: callback.id }, claimedAt);
  try {
    const outcome = isTooLate(context, callback)
      ? ({ phase: 'not_sent', reason: 'too_late', latencyMs: null } as const)
      : await attemptCallback(context, callback, { lease, timeoutMs: ATTEMPT_TIMEOUT_MS }).catch(notOpened);
    await endWhileKept(room, callback, lease, outcome);
  } finally {
    lease.letGo();
  }
}

/**
 * What is known is told again while the lease lasts: a database that is away for a moment does not make it unknown. What it
 * refuses for good is told a few times only: the lease would be renewed for ever. So is what comes after the lease: a worker
 * that slept wakes on connections that are gone, and has yet to hear that it is fenced.
 */
async function endWhileKept(
  { context, finisher }: ReleaseRoom,
  callback: ClaimedCallback,
  { signal }: KeptLease,
  outcome: EndingOutcome,
): Promise<void> {
  for (let refusals = 0; ; ) {
    try {
      await endAttempt(context, finisher, { ...callback, lapsed: false }, outcome);
      return;
    } catch (error) {
      if (!isRetryable(error) || signal.aborted) refusals += 1;
      if (refusals === MOST_REFUSALS) throw error;
      await delay(TELL_AGAIN_MS, undefined, signal.aborted ? {} : { signal }).catch(() => undefined);
    }
  }
}

/** A retry that was due while nothing ran, and whose time is over by now, is not begun (I9). */
function isTooLate({ config }: WorkerContext, { attempts, elapsedMs, policyName }: ClaimedCallback): boolean {
  const retry = retryOf(config, policyName);
  return attempts > 1 && retry !== null && elapsedMs >= retry.maxElapsedMs;
}

async function endDeadAttempts({ context, finisher }: ReleaseRoom): Promise<void> {
  const dead = await listExpiredLeases(context.sql, DEAD_BATCH);
  const outcome = { phase: 'maybe_received', reason: 'lease_expired', latencyMs: null } as const;
  await Promise.all(dead.map((lease) => endAttempt(context, finisher, { ...lease, lapsed: true }, outcome)));
}

/** What cannot be opened was certainly not sent; the retry bounds decide when to give up. */
function notOpened(error: unknown): EndingOutcome {
  return { phase: 'not_sent', reason: error instanceof AppError ? error.code : 'not_opened', latencyMs: null };
}
