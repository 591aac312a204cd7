import { AppError } from '@tidegate/core';
import { type ClaimedCallback, claimCallbacks, endRelease, listExpiredLeases } from '@tidegate/store';
import type { WorkerContext } from '../worker-context.ts';
import { attemptCallback } from './attempt-callback.ts';
import { type EndingOutcome, endAttempt } from './end-attempt.ts';

const BATCH = 16;
const ATTEMPT_TIMEOUT_MS = 30_000;
/** The lease outlives the attempt's own timeout, so that a live worker is never taken for a dead one. */
const LEASE_MS = ATTEMPT_TIMEOUT_MS + 15_000;

/** Sends what may be sent: ends dead attempts first, then claims and sends in batches, then ends releases. */
export async function releaseRoom(context: WorkerContext): Promise<void> {
  await endDeadAttempts(context);
  for (;;) {
    const claimedAtMs = performance.now();
    const claimed = await claimCallbacks(context.sql, BATCH, LEASE_MS);
    await Promise.all(claimed.map((callback) => sendOne(context, callback, claimedAtMs)));
    if (claimed.length < BATCH) break;
  }
  for (const service of await endRelease(context.sql)) context.log.info('gate.released', { service });
}

async function sendOne(context: WorkerContext, callback: ClaimedCallback, claimedAtMs: number): Promise<void> {
  const outcome = await attemptCallback(context, callback, { claimedAtMs, timeoutMs: ATTEMPT_TIMEOUT_MS }).catch(
    notOpened,
  );
  await endAttempt(context, callback, outcome);
}

async function endDeadAttempts(context: WorkerContext): Promise<void> {
  for (const lease of await listExpiredLeases(context.sql, BATCH)) {
    const callback = {
      id: lease.callbackId,
      attempt: lease.attempt,
      repeat: lease.repeat,
      policyName: lease.policyName,
      elapsedMs: lease.elapsedMs,
    };
    await endAttempt(context, callback, { phase: 'maybe_received', reason: 'lease_expired', latencyMs: null });
  }
}

/** What cannot be opened was certainly not sent; the retry bounds decide when to give up. */
function notOpened(error: unknown): EndingOutcome {
  return { phase: 'not_sent', reason: error instanceof AppError ? error.code : 'not_opened', latencyMs: null };
}
