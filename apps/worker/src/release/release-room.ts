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
import type { Slots } from '../wake/create-slots.ts';
import type { WorkerContext } from '../worker-context.ts';
import { attemptCallback } from './attempt-callback.ts';
import type { Finisher } from './create-finisher.ts';
import { type KeptLease, type LeaseKeeper, readClocks } from './create-lease-keeper.ts';
import { type EndingOutcome, endAttempt } from './end-attempt.ts';
import { lookUp } from './look-up.ts';
import { rampOf, retryOf } from './policy-of.ts';

const DEAD_BATCH = 256;
const EXPIRED_BATCH = 1000;
const ATTEMPT_TIMEOUT_MS = 30_000;
const TELL_AGAIN_MS = 250;
const LOOKUP_TIMEOUT_MS = 10_000;
const LOOKUP_LEASE_MS = LOOKUP_TIMEOUT_MS + 15_000;

export interface ReleaseRoom {
  readonly context: WorkerContext;
  readonly finisher: Finisher;
  readonly leases: LeaseKeeper;
  readonly slots: Slots;
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

async function startLookups({ context, slots }: ReleaseRoom): Promise<void> {
  if (slots.free() === 0) return;
  const { silentAfterMs } = context.config.receiver;
  for (const lookup of await claimLookups(context.sql, {
    limit: slots.free(),
    leaseMs: LOOKUP_LEASE_MS,
    silentAfterMs,
  }))
    slots.start(() => lookUp(context, lookup, LOOKUP_TIMEOUT_MS));
}

/** How many it started. */
async function startAttempts(room: ReleaseRoom): Promise<number> {
  const { context, slots } = room;
  if (slots.free() === 0) return 0;
  const claimedAt = readClocks();
  const { silentAfterMs } = context.config.receiver;
  const { leaseMs } = ATTEMPT_LEASE;
  const options = { limit: slots.free(), leaseMs, silentAfterMs, policyOf: rampOf(context.config) };
  const { claimed, againAt } = await claimCallbacks(context.sql, options);
  for (const callback of claimed) slots.start(() => sendOne(room, callback, claimedAt));
  if (againAt !== null) context.queue.publish([{ room: 'release', dueAtMs: againAt.getTime() }]).catch(() => undefined);
  return claimed.length;
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

/** What is known is told again while the lease lasts: a database that is away for a moment does not make it unknown. */
async function endWhileKept(
  { context, finisher }: ReleaseRoom,
  callback: ClaimedCallback,
  { signal }: KeptLease,
  outcome: EndingOutcome,
): Promise<void> {
  for (;;) {
    try {
      await endAttempt(context, finisher, { ...callback, lapsed: false }, outcome);
      return;
    } catch (error) {
      if (signal.aborted) throw error;
      await delay(TELL_AGAIN_MS, undefined, { signal }).catch(() => undefined);
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
