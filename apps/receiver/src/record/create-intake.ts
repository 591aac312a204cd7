import { AppError } from '@tidegate/core';
import type { Queue } from '@tidegate/queue';
import type { Config, Log, Metrics } from '@tidegate/runtime';
import type { Sql } from '@tidegate/store';
import type { Keyring, Sealer } from '@tidegate/vault';
import type { Intake, IntakeItem } from '../receive/receive-delivery.ts';
import { type CommitEffects, commitDeliveries, type DeliveryOutcome } from './commit-deliveries.ts';
import { createGroupCommitter } from './group-committer.ts';
import { createSubjectDirectory } from './subject-directory.ts';
import { withDeadline } from './with-deadline.ts';

const MAX_BATCH = 512;
const MAX_WAITING = 20_000;
/** A database that accepts a commit and never answers must not hold senders for ever. */
const COMMIT_DEADLINE_MS = 10_000;

export interface IntakeOptions {
  readonly sql: Sql;
  readonly keyring: Keyring;
  readonly sealer: Sealer;
  readonly queue: Queue;
  readonly config: Config;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** Wires the way from a parsed delivery to its commit, and what a commit sets off: metrics, one log line, alarms. */
export function createIntake(options: IntakeOptions): Intake {
  const { sql, keyring, sealer, config, metrics } = options;
  const subjects = createSubjectDirectory(sql, sealer);
  const fallback = config.policies.default;
  if (fallback === undefined) throw new Error('a loaded config always holds the default policy');
  const settings = {
    skewBoundMs: config.receiver.skewBoundMs,
    openAfterMs: fallback.openAfterMs,
    maxWaitMs: fallback.maxWaitMs,
  };

  async function commit(batch: readonly IntakeItem[]): Promise<DeliveryOutcome[]> {
    const startedAtMs = performance.now();
    const ids = await subjects.resolve(batch.map((item) => item.subject));
    const records = batch.map((item, index) => ({ ...item.delivery, subjectId: ids[index] ?? 0 }));
    const outcomes = await commitDeliveries(sql, records, settings, (effects, size) =>
      announce(options, effects, size),
    );
    metrics.observe('record.duration', {}, (performance.now() - startedAtMs) / 1000);
    return outcomes;
  }

  const committer = createGroupCommitter<IntakeItem, DeliveryOutcome>({
    commit: (batch) => withDeadline(commit(batch), COMMIT_DEADLINE_MS),
    maxBatch: MAX_BATCH,
    maxWaiting: MAX_WAITING,
    overloaded: () =>
      new AppError({
        code: 'receiver_overloaded',
        publicMessage: 'Too many deliveries wait to be recorded.',
        retryable: true,
      }),
  });
  return { keyring, sealer, committer, now: Date.now };
}

/** After the commit, and not awaited by any answer: an alarm that is lost is found by the sweeper. */
function announce({ queue, log, metrics }: IntakeOptions, effects: CommitEffects, size: number): void {
  metrics.observe('record.batch', {}, size);
  metrics.count('receive.requests', { outcome: 'recorded' }, size);
  log.info('observation.recorded', { count: size });
  for (const service of effects.shut) log.info('gate.held', { service, reason: 'disconnected' });
  const alarms = [
    ...effects.armedDue.map((due) => ({ room: 'correlate' as const, dueAtMs: due.getTime() })),
    ...effects.verifyDue.map((due) => ({ room: 'verify' as const, dueAtMs: due.getTime() })),
  ];
  if (alarms.length > 0) queue.publish(alarms).catch(() => undefined);
}
