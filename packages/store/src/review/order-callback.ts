import { type CallbackState, checkTransition, type SafeName, type SignAudit } from '@tidegate/core';
import { type Audited, inAuditedTransaction } from '../audit/in-audited-transaction.ts';
import type { Sql, Transaction } from '../database/connect.ts';

/** What a person may order about one callback. */
export type CallbackCommand = keyof typeof LEADS_TO;

/** A person's order. Names and reasons are sanitised by the caller. */
export interface CallbackOrder {
  readonly callback: string;
  readonly command: CallbackCommand;
  readonly actor: SafeName;
  readonly reason: SafeName;
  /** Row id of the API key that asked, for the trail; null for the command line. */
  readonly keyId: string | null;
  /** Names of the services the actor may act for; null means all. */
  readonly services: readonly string[] | null;
  /** For `approve`: the hash of the payload that was looked at, and how long the approval lasts, ms. */
  readonly approval: { readonly payloadHash: Buffer; readonly forMs: number } | null;
}

export type OrderedCallback =
  | { readonly kind: 'moved'; readonly service: string; readonly state: CallbackState }
  | { readonly kind: 'not_found' }
  /** Not a state that this can be ordered in, for instance while its attempt is under way. */
  | { readonly kind: 'wrong_state'; readonly state: CallbackState }
  /** The approval names another payload than the callback has, or none. */
  | { readonly kind: 'payload_differs' }
  /** It may not be tried again, since its deadline is over. */
  | { readonly kind: 'deadline_passed' }
  /** It cannot be tried again, since retention has removed what would be sent. */
  | { readonly kind: 'content_gone' };

const LEADS_TO = {
  approve: 'retrying',
  deny: 'failed',
  complete: 'delivered',
  cancel: 'cancelled',
  redrive: 'retrying',
} as const;

/** From which of the states that lead there: `redrive` is for what failed, `approve` and the others for what nobody knows. */
const ORDERED_IN: Readonly<Record<CallbackCommand, readonly CallbackState[]>> = {
  approve: ['needs_review'],
  deny: ['needs_review'],
  complete: ['needs_review'],
  cancel: ['queued', 'held', 'retrying', 'needs_review'],
  redrive: ['failed'],
};

interface LockedCallback {
  readonly id: string;
  readonly service: string;
  readonly state: CallbackState;
  readonly payloadHash: Buffer;
  readonly overdue: boolean;
  readonly emptied: boolean;
}

/**
 * Carries out a person's order about a callback, with its audit row: one guarded update under the callback's lock. An approval
 * lets out one attempt, bound to the payload's hash; it is checked again, and used up, by the claim that makes it (I7). What is
 * redriven gets a new allowance of attempts and time.
 */
export async function orderCallback(
  sql: Sql,
  order: CallbackOrder,
  sign: SignAudit,
): Promise<Audited<OrderedCallback>> {
  return inAuditedTransaction<OrderedCallback>(sql, sign, async (tx) => {
    const callback = await lockCallback(tx, order);
    if (callback === null) return { outcome: { kind: 'not_found' }, entry: null };
    const { state } = callback;
    const next = LEADS_TO[order.command];
    if (!ORDERED_IN[order.command].includes(state) || !checkTransition(state, next, ['person']).ok) {
      return { outcome: { kind: 'wrong_state', state }, entry: null };
    }
    if (order.command === 'approve' && order.approval?.payloadHash.equals(callback.payloadHash) !== true) {
      return { outcome: { kind: 'payload_differs' }, entry: null };
    }
    if (next === 'retrying' && callback.emptied) return { outcome: { kind: 'content_gone' }, entry: null };
    if (next === 'retrying' && callback.overdue) return { outcome: { kind: 'deadline_passed' }, entry: null };
    await moveCallback(tx, callback, order);
    const facts = { service: callback.service, before: state, key: order.keyId };
    const action = `callback.${order.command}` as const;
    const entry = { actor: order.actor, action, target: callback.id, reason: order.reason, facts };
    return { outcome: { kind: 'moved', service: callback.service, state: next }, entry };
  });
}

async function lockCallback(tx: Transaction, { callback, services }: CallbackOrder): Promise<LockedCallback | null> {
  const [row] = await tx<LockedCallback[]>`
    select c.id, s.name as service, c.state, c.payload_hash, coalesce(c.deadline_at <= clock_timestamp(), false) as overdue,
      c.sealed_url = ''::bytea as emptied
    from callback c join service s on s.id = c.service_id
    where c.id = ${callback} ${services === null ? tx`` : tx`and s.name = any(${[...services]}::text[])`} for no key update of c`;
  return row ?? null;
}

async function moveCallback(tx: Transaction, callback: LockedCallback, order: CallbackOrder): Promise<void> {
  const { command, actor, reason, approval } = order;
  const again = command === 'approve' || command === 'redrive';
  const words = {
    approve: 'approved',
    deny: 'denied',
    complete: 'marked_complete',
    cancel: 'cancelled',
    redrive: 'redriven',
  };
  await tx`
    update callback set state = ${LEADS_TO[command]}, reason = ${words[command]},
      due_at = case when ${again} then clock_timestamp() end,
      attempts_before = case when ${again} then attempts else attempts_before end,
      by_approval = ${command === 'approve'},
      finished_at = case when ${again} then null else clock_timestamp() end
    where id = ${callback.id}`;
  if (command === 'cancel' || command === 'redrive') return;
  const forMs = command === 'approve' ? (approval?.forMs ?? 0) : null;
  await tx`
    insert into review (callback_id, decision, payload_hash, actor, reason, decided_at, expires_at)
    values (${callback.id}, ${command}, ${callback.payloadHash}, ${actor}, ${reason}, clock_timestamp(),
            clock_timestamp() + make_interval(secs => ${forMs}::float8 / 1000.0))`;
}
