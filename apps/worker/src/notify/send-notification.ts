import { nextAttempt } from '@tidegate/core';
import type { NotifyOutcome } from '@tidegate/outbound';
import {
  type ClaimedNotification,
  finishNotification,
  type NotificationEnd,
  noteChannel,
  type RepeatedNotification,
  readEndSince,
} from '@tidegate/store';
import type { WorkerContext } from '../worker-context.ts';

const TIMEOUT_MS = 10_000;
/** Outlives the attempt, so that a live worker is never taken for a dead one. */
export const LEASE_MS = TIMEOUT_MS + 5000;
/** A channel that cannot be reached is left alone for no longer than this, unless it asks for more. */
const LONGEST_PAUSE_MS = 60_000;

type SendContext = Pick<WorkerContext, 'sql' | 'config' | 'log' | 'metrics' | 'notifier' | 'queue' | 'random01'>;

/** Makes one attempt and writes down how it ended: delivered, to be tried again within the bounds, or given up. */
export async function sendNotification(context: SendContext, claimed: ClaimedNotification): Promise<void> {
  const outcome = isOverdue(context, claimed) ? OVERDUE : await attempt(context, claimed);
  const end = toEnd(context, claimed, outcome);
  const state = await finishNotification(context.sql, claimed, end);
  if (state === 'fenced') return;
  tell(context, claimed, outcome, state);
  if (state === 'pending' && end.kind === 'retry') {
    context.queue.publish([{ room: 'notify', dueAtMs: Date.now() + end.delayMs }]).catch(() => undefined);
  }
}

/**
 * Says again what a receiver would forget; the next repeat makes up for one that fails. One that was overtaken by the end would
 * open again what is over, so the end is said once more after it.
 */
export async function repeatNotification(context: SendContext, repeated: RepeatedNotification): Promise<void> {
  await repeatOnce(context, repeated);
  const end = await readEndSince(context.sql, repeated);
  if (end !== null) await repeatOnce(context, end);
}

async function repeatOnce(context: SendContext, repeated: RepeatedNotification): Promise<void> {
  const outcome = await attempt(context, repeated);
  const { status, reason } = outcome;
  const kind = outcome.result === 'delivered' ? 'sent' : 'failed';
  await noteChannel(context.sql, repeated.channel, { kind, status, reason, pauseMs: null });
  context.metrics.count('notify.repeats', { outcome: outcome.result });
}

const OVERDUE: NotifyOutcome = { result: 'refused', status: null, reason: 'too_late', latencyMs: 0, scrubbed: 0 };

/** A retry that was due while nothing ran, and whose time is over by now, is not begun (I9). */
function isOverdue({ config }: SendContext, { attempts, elapsedMs }: ClaimedNotification): boolean {
  const { retry } = config.notify;
  return attempts > retry.attempts || (attempts > 1 && elapsedMs >= retry.maxElapsedMs);
}

async function attempt(
  { config, notifier, log, metrics }: SendContext,
  { id, channel, message }: Pick<ClaimedNotification, 'id' | 'channel' | 'message'>,
): Promise<NotifyOutcome> {
  const target = config.notify.channels.find(({ name }) => name === channel)?.target ?? null;
  if (target === null) return { ...OVERDUE, reason: 'channel_removed' };
  const outcome = await notifier.send(target, { id, message }, { timeoutMs: TIMEOUT_MS });
  if (outcome.scrubbed > 0) {
    log.warn('notification.scrubbed', { notification: id, channel, count: outcome.scrubbed });
    metrics.count('notify.scrubbed', {}, outcome.scrubbed);
  }
  return outcome;
}

function toEnd(
  { config, random01 }: SendContext,
  claimed: ClaimedNotification,
  outcome: NotifyOutcome,
): NotificationEnd {
  const { status, reason } = outcome;
  if (outcome.result === 'delivered') {
    const target = config.notify.channels.find(({ name }) => name === claimed.channel)?.target ?? null;
    const repeatEveryMs = target?.type === 'alertmanager' ? target.repeatEveryMs : null;
    return { kind: 'sent', status, reason, pauseMs: null, repeatEveryMs };
  }
  if (outcome.result === 'refused') return { kind: 'failed', status, reason, pauseMs: null, reached: false };
  const { attempts, elapsedMs } = claimed;
  const { reached, retryAfterMs } = outcome;
  // Whoever asked for a test waits for the answer, and can ask again.
  if (claimed.kind === 'test') return { kind: 'failed', status, reason, pauseMs: null, reached };
  const next = nextAttempt(config.notify.retry, { attempts, elapsedMs, retryAfterMs }, random01());
  const pauseMs = retryAfterMs ?? (next.retry ? Math.min(next.delayMs, LONGEST_PAUSE_MS) : null);
  if (!next.retry) return { kind: 'failed', status, reason, pauseMs, reached };
  return { kind: 'retry', status, reason, pauseMs, reached, delayMs: next.delayMs };
}

function tell(
  { log, metrics, config }: SendContext,
  { id, incidentId: incident, channel, kind, attempts }: ClaimedNotification,
  { status, reason, latencyMs: durationMs }: NotifyOutcome,
  state: string,
): void {
  const type = config.notify.channels.find(({ name }) => name === channel)?.type ?? 'removed';
  metrics.count('notify.attempts', { type, outcome: state });
  const fields = { notification: id, incident, channel, kind, attempt: attempts, status, durationMs };
  if (state === 'sent') log.info('notification.sent', fields);
  else if (state === 'failed') log.warn('notification.given_up', { ...fields, reason });
  else log.warn('notification.retried', { ...fields, reason });
}
