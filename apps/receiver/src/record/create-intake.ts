import type { Queue } from '@tidegate/queue';
import type { Config, Log, Metrics } from '@tidegate/runtime';
import { ping, type Sql, shutAllGates } from '@tidegate/store';
import type { Keyring, Sealer } from '@tidegate/vault';
import { createQuarantine } from '../quarantine/quarantine.ts';
import { saveQuarantined } from '../quarantine/save-quarantined.ts';
import type { Intake, IntakeItem } from '../receive/receive-delivery.ts';
import { createKeeper } from '../spool/create-keeper.ts';
import { createRecorder, type Recorder } from '../spool/create-recorder.ts';
import { createReplayer } from '../spool/create-replayer.ts';
import type { DataKeys } from '../spool/data-keys.ts';
import type { Spool } from '../spool/spool.ts';
import { createAnnouncer } from './announce-effects.ts';
import type { DeliveryOutcome } from './commit-deliveries.ts';
import { createCommit } from './create-commit.ts';
import { createGroupCommitter } from './group-committer.ts';
import { recordSettings } from './record-settings.ts';
import { withDeadline } from './with-deadline.ts';

const MAX_BATCH = 512;
const MAX_WAITING = 20_000;
const RECHECK_DEADLINE_MS = 10_000;

export interface IntakeOptions {
  readonly sql: Sql;
  readonly keyring: Keyring;
  readonly sealer: Sealer;
  readonly dataKeys: DataKeys;
  readonly queue: Queue;
  readonly config: Config;
  readonly spool: Spool;
  /** What has to be done in the store before anything is recorded there; run until it succeeds once. */
  readonly prepare: () => Promise<void>;
  /** Has every gate held until this receiver beats. */
  readonly expect: () => Promise<void>;
  /** Whether that has been done. */
  readonly prepared: boolean;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** Wires the way from a parsed delivery to the commit that it shares with others, and to the spool when that fails. */
export function createIntake(options: IntakeOptions): { readonly intake: Intake; readonly recorder: Recorder } {
  const { sql, keyring, sealer, dataKeys, queue, config, spool, prepare, prepared, expect, log, metrics } = options;
  const settings = recordSettings(config);
  const announce = createAnnouncer(queue, log);
  const { save: saveBody, verifyGates } = saveQuarantined(sql, queue);
  const commit = createCommit({ sql, keyring, sealer, dataKeys, settings, announce, log, metrics });
  const keeper = createKeeper({ spool, keyring, sealer, dataKeys, log, metrics });
  const replayer = createReplayer({ sql, keyring, settings, saveBody, announce, spool, log, metrics });
  const recorder = createRecorder({
    spool,
    commit,
    saveBody: async (body, verifyGates) => {
      if (dataKeys.owes()) await dataKeys.settle();
      await saveBody(body, verifyGates);
    },
    keeper,
    replayer,
    prepare,
    prepared,
    expect,
    reach: () => ping(sql),
    shutAllGates: () => shutAllGates(sql),
    announce,
    log,
  });
  const committer = createGroupCommitter<IntakeItem, DeliveryOutcome>({
    commit: recorder.commit,
    maxBatch: MAX_BATCH,
    maxWaiting: MAX_WAITING,
    onOverload: recorder.refuse,
  });
  const quarantine = createQuarantine({
    sealer,
    save: recorder.saveBody,
    // What could not be kept nor make its gates due is lost: all of them are shut for it.
    verifyGates: (sourceId) =>
      withDeadline(verifyGates(sourceId), RECHECK_DEADLINE_MS).catch(async (error: unknown) => {
        await spool.set();
        throw error;
      }),
    now: () => performance.now(),
  });
  return { intake: { keyring, sealer, committer, quarantine, now: Date.now }, recorder };
}
