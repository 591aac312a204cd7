import type { Log, Metrics } from '@tidegate/runtime';
import type { RecordSettings, Sql } from '@tidegate/store';
import type { Keyring, Sealer } from '@tidegate/vault';
import type { IntakeItem } from '../receive/receive-delivery.ts';
import type { DataKeys } from '../spool/data-keys.ts';
import { type CommitEffects, commitDeliveries, type DeliveryOutcome } from './commit-deliveries.ts';
import { createCountedLine } from './counted-line.ts';
import { createSubjectDirectory } from './subject-directory.ts';

export interface CommitOptions {
  readonly sql: Sql;
  readonly keyring: Keyring;
  readonly sealer: Sealer;
  readonly dataKeys: Pick<DataKeys, 'owes' | 'settle'>;
  readonly settings: RecordSettings;
  readonly announce: (effects: CommitEffects) => void;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** One commit of a batch: names its subjects, records it, and sets off what follows: metrics, log lines, alarms. */
export function createCommit(options: CommitOptions): (batch: readonly IntakeItem[]) => Promise<DeliveryOutcome[]> {
  const { sql, keyring, sealer, dataKeys, settings, announce, log, metrics } = options;
  const subjects = createSubjectDirectory(sql, { keyring, sealer, dataKeys });
  const countRecorded = createCountedLine((count) => log.info('observation.recorded', { count }));
  const onCommit = (effects: CommitEffects, size: number) => {
    metrics.observe('record.batch', {}, size);
    metrics.count('receive.requests', { outcome: 'recorded' }, size);
    countRecorded(size);
    announce(effects);
  };

  return async (batch) => {
    const startedAtMs = performance.now();
    const ids = await subjects.resolve(batch.map((item) => item.subject));
    if (dataKeys.owes()) await dataKeys.settle();
    const records = batch.map((item, index) => ({ ...item.delivery, subjectId: ids[index] as number }));
    const outcomes = await commitDeliveries(sql, records, settings, onCommit);
    metrics.observe('record.duration', {}, (performance.now() - startedAtMs) / 1000);
    return outcomes;
  };
}
