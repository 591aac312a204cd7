import { CALLBACK_TRANSITIONS, KIND_WORDS, VERDICT_WORDS } from '@tidegate/core';
import type { WorkerContext } from '../worker-context.ts';

/**
 * Shows counters that have names in their labels at 0, before anything is counted: to Prometheus a series that begins at 1 has
 * not grown, so the first incident of a kind after each start would be in no increase.
 */
export function beginCounters({ config, metrics }: Pick<WorkerContext, 'config' | 'metrics'>): void {
  for (const kind of Object.keys(KIND_WORDS)) metrics.count('correlate.opened', { kind }, 0);
  for (const by of ['verification', 'poll']) metrics.count('correlate.resolved', { by }, 0);
  for (const verdict of Object.keys(VERDICT_WORDS)) metrics.count('verify.verdicts', { verdict }, 0);
  for (const outcome of Object.keys(CALLBACK_TRANSITIONS.sending)) metrics.count('release.callbacks', { outcome }, 0);
  for (const { type } of config.notify.channels)
    for (const outcome of ['sent', 'failed']) metrics.count('notify.attempts', { type, outcome }, 0);
  if (config.deadMan === null) return;
  for (const outcome of ['heard', 'failed', 'withheld']) metrics.count('dead_man.pings', { outcome }, 0);
}
