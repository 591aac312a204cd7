import { decideAfterAttempt, type RepeatContract } from '@tidegate/core';
import type { AttemptEnd } from '@tidegate/store';
import type { WorkerContext } from '../worker-context.ts';
import type { Finisher } from './create-finisher.ts';
import { retryOf } from './policy-of.ts';

/** The part of a callback that decides what its attempt's end means. */
export interface EndingCallback {
  readonly id: string;
  readonly serviceId: number;
  readonly origin: string;
  readonly generation: number;
  readonly leaseToken: string | null;
  /** Its lease was found to be over, by whoever ends it. */
  readonly lapsed: boolean;
  readonly attempt: number;
  readonly attempts: number;
  readonly repeat: RepeatContract;
  readonly policyName: string;
  /** From the beginning of the first attempt under the present allowance to that of this one, or to when it was found over. */
  readonly elapsedMs: number;
  readonly byApproval: boolean;
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

/** Decides and saves what comes after an attempt: delivered, a bounded retry, reconciliation, a person, or failure. */
export async function endAttempt(
  context: WorkerContext,
  finisher: Finisher,
  callback: EndingCallback,
  outcome: EndingOutcome,
): Promise<void> {
  const { phase, status, reason } = outcome;
  const { id, serviceId, origin, generation, leaseToken, lapsed, attempt, policyName } = callback;
  const ended = {
    outcome: { phase, status, addressDenied: reason === 'address_denied' },
    invalid: reason === 'invalid_request',
    retryAfterMs: outcome.retryAfterMs ?? null,
    ...callback,
    elapsedMs: callback.elapsedMs + (outcome.latencyMs ?? 0),
  };
  const next = decideAfterAttempt(ended, retryOf(context.config, policyName), context.random01());
  const { fenced, dueAt } = await finisher.finish({
    ...{ callbackId: id, serviceId, origin, generation, leaseToken, lapsed, attempt, policyName, phase, reason, next },
    status: status ?? null,
    latencyMs: outcome.latencyMs === null ? null : Math.round(outcome.latencyMs),
  });
  if (fenced) {
    context.log.info('callback.fenced', { callback: id, phase, attempt });
    return;
  }
  context.metrics.count('release.callbacks', { outcome: next.state });
  context.log.info('callback.attempted', { callback: id, phase, status: status ?? null, attempt, state: next.state });
  if (next.state === 'delivered') context.log.info('callback.delivered', { callback: id, attempt });
  if (dueAt !== null) context.queue.publish([{ room: 'release', dueAtMs: dueAt.getTime() }]).catch(() => undefined);
}
