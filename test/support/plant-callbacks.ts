import { randomUUID } from 'node:crypto';
import type { AfterAttempt, AttemptPhase } from '@tidegate/core';
import {
  type ClaimedCallback,
  claimCallbacks,
  createCallback,
  type FinishedAttempt,
  finishAttempts,
  type NewCallback,
  type RampPolicies,
  type Sql,
} from '@tidegate/store';

/** As the default of the config has it. */
const SILENT_AFTER_MS = 5000;

/** So fast that neither canary nor cap is in the way of what a test is about. */
const UNBOUNDED: RampPolicies = () => ({ canary: 1000, maxPerSecond: 1000 });

/** A callback of the planted service `agent`; nothing of it is really sealed. */
export function newCallback(change: Partial<NewCallback> = {}): NewCallback {
  return {
    id: `cb_${randomUUID().replaceAll('-', '')}`,
    service: 'agent',
    keyHash: Buffer.from(randomUUID()),
    payloadHash: Buffer.from('payload'),
    method: 'POST',
    origin: 'https://receiver.example',
    safety: 'unsafe',
    repeat: 'forbidden',
    sealedUrl: Buffer.from('sealed'),
    sealedHeaders: Buffer.from('sealed'),
    sealedBody: null,
    sealedIdempotencyKey: Buffer.from('sealed'),
    deadlineAt: null,
    orderingHash: null,
    status: null,
    passesHeld: false,
    ...change,
  };
}

/** Hands one over and answers its id. */
export async function hand(sql: Sql, callback: Partial<NewCallback> = {}): Promise<string> {
  const created = await createCallback(sql, newCallback(callback));
  if (created.kind !== 'created') throw new Error(created.kind);
  return created.id;
}

/** Claims without bounds of the ramp unless given. */
export async function claim(
  sql: Sql,
  limit = 10,
  leaseMs = 60_000,
  policyOf: RampPolicies = UNBOUNDED,
): Promise<ClaimedCallback[]> {
  return (await claimCallbacks(sql, { limit, leaseMs, silentAfterMs: SILENT_AFTER_MS, policyOf })).claimed;
}

const ENDINGS = {
  delivered: { phase: 'answered', status: 200, reason: 'answered', next: { state: 'delivered', reason: 'accepted' } },
  refused: {
    phase: 'answered',
    status: 429,
    reason: 'answered',
    next: { state: 'retrying', reason: 'try_later', delayMs: 0 },
  },
  not_sent: {
    phase: 'not_sent',
    status: null,
    reason: 'refused',
    next: { state: 'retrying', reason: 'not_sent', delayMs: 0 },
  },
  server_error: {
    phase: 'answered',
    status: 500,
    reason: 'answered',
    next: { state: 'ambiguous', reason: 'server_error_repeat_forbidden', delayMs: 0 },
  },
  unknown: {
    phase: 'maybe_received',
    status: null,
    reason: 'reset',
    next: { state: 'ambiguous', reason: 'outcome_unknown', delayMs: 0 },
  },
  lease_expired: {
    phase: 'maybe_received',
    status: null,
    reason: 'lease_expired',
    next: { state: 'ambiguous', reason: 'outcome_unknown', delayMs: 0 },
  },
} as const satisfies Record<string, { phase: AttemptPhase; status: number | null; reason: string; next: AfterAttempt }>;

/** Ends a claimed attempt in one of the usual ways, or with `next` where it is not the usual one. */
export async function finish(
  sql: Sql,
  callback: Pick<ClaimedCallback, 'id' | 'attempt' | 'serviceId' | 'origin' | 'generation' | 'policyName'> & {
    readonly leaseToken: string | null;
  },
  ending: keyof typeof ENDINGS,
  { next, policyOf = UNBOUNDED }: { next?: AfterAttempt; policyOf?: RampPolicies } = {},
): Promise<FinishedAttempt> {
  const { id, attempt, serviceId, origin, generation, leaseToken, policyName } = callback;
  const claimed = { callbackId: id, attempt, serviceId, origin, generation, leaseToken, policyName };
  const end = { ...claimed, lapsed: ending === 'lease_expired', latencyMs: 1, ...ENDINGS[ending] };
  if (end.lapsed) {
    // Time travel: its lease has run out.
    await sql`update attempt set lease_until = clock_timestamp() where callback_id = ${id} and number = ${attempt} and finished_at is null`;
  }
  const [finished] = await finishAttempts(sql, [next === undefined ? end : { ...end, next }], policyOf);
  if (finished === undefined) throw new Error('an end without an answer');
  return finished;
}
