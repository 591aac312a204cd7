import { AppError } from '@tidegate/core';
import { type ClaimedCallback, claimCallbacks, endRelease, listExpiredLeases } from '@tidegate/store';
import type { Slots } from '../wake/create-slots.ts';
import type { WorkerContext } from '../worker-context.ts';
import { attemptCallback } from './attempt-callback.ts';
import { type EndingOutcome, endAttempt } from './end-attempt.ts';

const DEAD_BATCH = 64;
const ATTEMPT_TIMEOUT_MS = 30_000;
/** The lease outlives the attempt's own timeout, so that a live worker is never taken for a dead one. */
const LEASE_MS = ATTEMPT_TIMEOUT_MS + 15_000;

export interface ReleaseRoom {
  readonly context: WorkerContext;
  readonly slots: Slots;
}

/** Ends dead attempts, starts an attempt for every callback that may be sent and has a free slot, and ends releases. */
export async function releaseRoom({ context, slots }: ReleaseRoom): Promise<void> {
  await endDeadAttempts(context);
  if (slots.free() > 0) {
    const claimedAtMs = performance.now();
    const claimed = await claimCallbacks(context.sql, {
      limit: slots.free(),
      leaseMs: LEASE_MS,
      silentAfterMs: context.config.receiver.silentAfterMs,
    });
    for (const callback of claimed) slots.start(() => sendOne(context, callback, claimedAtMs));
  }
  for (const service of await endRelease(context.sql)) context.log.info('gate.released', { service });
}

async function sendOne(context: WorkerContext, callback: ClaimedCallback, claimedAtMs: number): Promise<void> {
  const outcome = isTooLate(context, callback)
    ? ({ phase: 'not_sent', reason: 'too_late', latencyMs: null } as const)
    : await attemptCallback(context, callback, { claimedAtMs, timeoutMs: ATTEMPT_TIMEOUT_MS }).catch(notOpened);
  await endAttempt(context, callback, outcome);
}

/** A retry that was due while nothing ran, and whose time is over by now, is not begun (I9). */
function isTooLate({ config }: WorkerContext, { attempt, elapsedMs, policyName }: ClaimedCallback): boolean {
  const policy = config.policies[policyName] ?? config.policies.default;
  return attempt > 1 && policy !== undefined && elapsedMs >= policy.release.retry.maxElapsedMs;
}

async function endDeadAttempts(context: WorkerContext): Promise<void> {
  for (const lease of await listExpiredLeases(context.sql, DEAD_BATCH)) {
    const callback = {
      id: lease.callbackId,
      attempt: lease.attempt,
      repeat: lease.repeat,
      policyName: lease.policyName,
      elapsedMs: lease.elapsedMs,
      maybeReceived: lease.maybeReceived,
    };
    await endAttempt(context, callback, { phase: 'maybe_received', reason: 'lease_expired', latencyMs: null });
  }
}

/** What cannot be opened was certainly not sent; the retry bounds decide when to give up. */
function notOpened(error: unknown): EndingOutcome {
  return { phase: 'not_sent', reason: error instanceof AppError ? error.code : 'not_opened', latencyMs: null };
}
