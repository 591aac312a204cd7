import { classifyAttempt, nextAttempt, type RepeatContract } from '@tidegate/core';
import { type AttemptEnd, finishAttempt } from '@tidegate/store';
import type { WorkerContext } from '../worker-context.ts';

/** The part of a callback that decides what its attempt's end means. */
export interface EndingCallback {
  readonly id: string;
  readonly attempt: number;
  readonly repeat: RepeatContract;
  readonly policyName: string;
  readonly elapsedMs: number;
  readonly maybeReceived: boolean;
}

/** How an attempt ended, as sent or as found after its worker died. */
export interface EndingOutcome {
  readonly phase: AttemptEnd['phase'];
  readonly status?: number;
  readonly reason: string;
  readonly retryAfterMs?: number;
  readonly latencyMs: number | null;
}

/** Decides and saves what comes after an attempt: delivered, a bounded retry, a person, or failure. */
export async function endAttempt(
  context: WorkerContext,
  callback: EndingCallback,
  outcome: EndingOutcome,
): Promise<void> {
  const next = decideNext(context, callback, outcome);
  const { fenced, dueAt } = await finishAttempt(context.sql, {
    callbackId: callback.id,
    attempt: callback.attempt,
    phase: outcome.phase,
    status: outcome.status ?? null,
    reason: outcome.reason,
    latencyMs: outcome.latencyMs === null ? null : Math.round(outcome.latencyMs),
    next,
  });
  if (fenced) return;
  context.metrics.count('release.callbacks', { outcome: next.state });
  context.log.info('callback.attempted', {
    callback: callback.id,
    phase: outcome.phase,
    status: outcome.status ?? null,
    attempt: callback.attempt,
    state: next.state,
  });
  if (next.state === 'delivered')
    context.log.info('callback.delivered', { callback: callback.id, attempt: callback.attempt });
  if (dueAt !== null) context.queue.publish([{ room: 'release', dueAtMs: dueAt.getTime() }]).catch(() => undefined);
}

function decideNext(
  { config, random01 }: WorkerContext,
  callback: EndingCallback,
  outcome: EndingOutcome,
): AttemptEnd['next'] {
  const addressDenied = outcome.reason === 'address_denied';
  const verdict = classifyAttempt({ phase: outcome.phase, status: outcome.status, addressDenied }, callback.repeat);
  // Giving up says "it did not happen" only if no attempt can have had an effect; else a person must look.
  const unknown = verdict.next === 'ambiguous' || callback.maybeReceived || (outcome.status ?? 0) >= 500;
  const giveUp = (reason: string) => ({ state: unknown ? 'needs_review' : 'failed', reason }) as const;
  // What cannot even be written down as a request will not be better next time.
  if (outcome.reason === 'invalid_request') return giveUp('invalid_request');
  if (verdict.next === 'delivered') return { state: 'delivered', reason: verdict.reason };
  if (verdict.next === 'failed') return giveUp(verdict.reason);
  // Nobody knows whether it was received: only a destination that deduplicates may be asked again (I7).
  if (verdict.next === 'ambiguous' && callback.repeat === 'forbidden') return giveUp(verdict.reason);
  const policy = config.policies[callback.policyName] ?? config.policies.default;
  if (policy === undefined) return giveUp('policy_unknown');
  const facts = {
    attempts: callback.attempt,
    elapsedMs: callback.elapsedMs,
    retryAfterMs: outcome.retryAfterMs ?? null,
  };
  const retry = nextAttempt(policy.release.retry, facts, random01());
  return retry.retry
    ? { state: 'retrying', reason: verdict.reason, delayMs: retry.delayMs }
    : giveUp(`retry_${retry.reason}_exhausted`);
}
