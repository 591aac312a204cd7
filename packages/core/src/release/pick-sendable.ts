import type { CallbackState } from '../model/callback.ts';

export interface WaitingCallback {
  readonly id: string;
  readonly state: CallbackState;
  readonly createdAtMs: number;
  /** The generation it was released under. */
  readonly generation: number;
  readonly orderingKey: string | null;
  readonly dueAtMs: number | null;
  readonly deadlineAtMs: number | null;
  /** Declared safe, and declared to pass a gate that is held. */
  readonly passesHeld: boolean;
}

export interface SendingGate {
  readonly allowed: boolean;
  /** By a person: then nothing passes, however safe. */
  readonly heldByHand: boolean;
  readonly generation: number;
}

const FINISHED: ReadonlySet<CallbackState> = new Set(['delivered', 'failed', 'cancelled', 'expired']);

/**
 * The callbacks of one service that may begin now, in order: those released under the gate's present generation, or safe and
 * declared to pass it, that are due and not past their deadline; of each ordering key only the first. A head that is stuck
 * blocks its own key alone, and only until its deadline; one that waits for a person and has no deadline does not block. While
 * an attempt is under way, of whichever, its key has no other. The reference for what claiming does in SQL. Source of the rule: DESIGN §8.
 */
export function pickSendable(
  callbacks: readonly WaitingCallback[],
  gate: SendingGate,
  nowMs: number,
): readonly string[] {
  const inOrder = [...callbacks].sort((a, b) => a.createdAtMs - b.createdAtMs || (a.id < b.id ? -1 : 1));
  const underWay = callbacks.filter(({ state, orderingKey }) => state === 'sending' && orderingKey !== null);
  const busyKeys = new Set(underWay.map(({ orderingKey }) => orderingKey));
  const picked: string[] = [];
  for (const callback of inOrder) {
    const free = callback.orderingKey === null || !busyKeys.has(callback.orderingKey);
    if (free && mayBegin(callback, gate, nowMs)) picked.push(callback.id);
    const over = callback.deadlineAtMs !== null && callback.deadlineAtMs <= nowMs;
    const blocks = !over && !FINISHED.has(callback.state) && !isAbandoned(callback);
    if (callback.orderingKey !== null && blocks) busyKeys.add(callback.orderingKey);
  }
  return picked;
}

/** Nobody can say when a person will come: without a deadline that would block a key for ever. */
function isAbandoned({ state, deadlineAtMs }: WaitingCallback): boolean {
  return state === 'needs_review' && deadlineAtMs === null;
}

function mayBegin(callback: WaitingCallback, gate: SendingGate, nowMs: number): boolean {
  if (callback.state !== 'queued' && callback.state !== 'retrying') return false;
  if (callback.dueAtMs === null || callback.dueAtMs > nowMs) return false;
  if (callback.deadlineAtMs !== null && callback.deadlineAtMs <= nowMs) return false;
  if (callback.passesHeld && !gate.heldByHand) return true;
  return gate.allowed && callback.generation === gate.generation;
}
