import { decideLookup, type StatusContract, statusContractSchema, weighDestination } from '@tidegate/core';
import { type ClaimedLookup, finishLookup } from '@tidegate/store';
import type { WorkerContext } from '../worker-context.ts';
import type { Circuits } from './create-circuits.ts';
import { retryOf } from './policy-of.ts';

/** Opens the status contract of an ambiguous callback, asks its destination what became of it, and saves what that settles. */
export async function lookUp(
  context: WorkerContext,
  lookup: ClaimedLookup,
  { circuits, timeoutMs }: { circuits: Circuits; timeoutMs: number },
): Promise<void> {
  const contract = await openContract(context, lookup).catch(() => null);
  const answer = contract === null ? UNREADABLE : await context.statuses.lookUp(contract, timeoutMs);
  circuits.settle(lookup.origin, weighDestination(answer));
  const decision = decideLookup(
    { ...lookup, result: answer.result },
    retryOf(context.config, lookup.policyName),
    context.random01(),
  );
  const { fenced, dueAt } = await finishLookup(context.sql, {
    callbackId: lookup.id,
    lookups: lookup.lookups,
    decision,
  });
  if (fenced) return;
  context.metrics.count('release.lookups', { outcome: answer.result });
  context.log.info('callback.looked_up', {
    callback: lookup.id,
    outcome: answer.result,
    status: answer.status,
    state: decision.state,
    reason: decision.reason,
    attempt: lookup.lookups,
  });
  if (dueAt !== null) context.queue.publish([{ room: 'release', dueAtMs: dueAt.getTime() }]).catch(() => undefined);
}

/** A contract that cannot be opened, or is none, answers nothing. */
const UNREADABLE = { result: 'unknown', phase: 'not_sent', status: null, reason: 'not_opened' } as const;

async function openContract({ opener }: WorkerContext, { id, sealedStatus }: ClaimedLookup): Promise<StatusContract> {
  const text = (await opener.open(sealedStatus, { row: id, purpose: 'callback-status' })).toString('utf8');
  return statusContractSchema.parse(JSON.parse(text));
}
