import type { Queue } from '@tidegate/queue';
import type { Config, Log, Metrics } from '@tidegate/runtime';
import type { Sql } from '@tidegate/store';
import type { Keyring, Sealer } from '@tidegate/vault';
import type { IntakeItem } from '../receive/receive-delivery.ts';
import { createAlarmSetter } from './alarm-setter.ts';
import { type CommitEffects, commitDeliveries, type DeliveryOutcome } from './commit-deliveries.ts';
import { createCountedLine } from './counted-line.ts';
import { createSubjectDirectory } from './subject-directory.ts';

export interface CommitOptions {
  readonly sql: Sql;
  readonly keyring: Keyring;
  readonly sealer: Sealer;
  readonly queue: Queue;
  readonly config: Config;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** One commit of a batch: names its subjects, records it, and sets off what follows: metrics, log lines, alarms. */
export function createCommit(options: CommitOptions): (batch: readonly IntakeItem[]) => Promise<DeliveryOutcome[]> {
  const { sql, keyring, sealer, config, metrics } = options;
  const subjects = createSubjectDirectory(sql, keyring, sealer);
  const fallback = config.policies.default;
  if (fallback === undefined) throw new Error('a loaded config always holds the default policy');
  const settings = {
    skewBoundMs: config.receiver.skewBoundMs,
    openAfterMs: fallback.openAfterMs,
    maxWaitMs: fallback.maxWaitMs,
  };
  const announce = createAnnouncer(options);

  return async (batch) => {
    const startedAtMs = performance.now();
    const ids = await subjects.resolve(batch.map((item) => item.subject));
    const records = batch.map((item, index) => ({ ...item.delivery, subjectId: ids[index] as number }));
    const outcomes = await commitDeliveries(sql, records, settings, announce);
    metrics.observe('record.duration', {}, (performance.now() - startedAtMs) / 1000);
    return outcomes;
  };
}

/** After a commit, and not awaited by any answer: an alarm that is lost is found by the sweeper. */
function createAnnouncer({ queue, log, metrics }: CommitOptions): (effects: CommitEffects, size: number) => void {
  const setAlarms = createAlarmSetter(queue, Date.now);
  const countRecorded = createCountedLine((count) => log.info('observation.recorded', { count }));
  return (effects, size) => {
    metrics.observe('record.batch', {}, size);
    metrics.count('receive.requests', { outcome: 'recorded' }, size);
    countRecorded(size);
    for (const service of effects.shut) log.info('gate.held', { service, reason: 'disconnected' });
    setAlarms('correlate', effects.armedDue);
    setAlarms('verify', effects.verifyDue);
  };
}
