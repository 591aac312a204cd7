import { rm } from 'node:fs/promises';
import type { Queue } from '@tidegate/queue';
import { createLogger, createMetrics, parseConfig } from '@tidegate/runtime';
import { connect, type LiveSource, type Sql, saveDataKey } from '@tidegate/store';
import { createSealer, type WatchedKeyring, watchKeyring } from '@tidegate/vault';
import { type ReceiveResult, receiveDelivery } from '../../apps/receiver/src/receive/receive-delivery.ts';
import { createIntake } from '../../apps/receiver/src/record/create-intake.ts';
import type { Recorder } from '../../apps/receiver/src/spool/create-recorder.ts';
import { createDataKeys } from '../../apps/receiver/src/spool/data-keys.ts';
import { openSpool, type Spool, type SpoolLimits } from '../../apps/receiver/src/spool/spool.ts';
import { makeTempFolder } from './temp-folder.ts';

/** What a receiver does behind its listener, with keys, connections and caches of its own. */
export interface RunningIntake {
  readonly keys: WatchedKeyring;
  readonly recorder: Recorder;
  readonly spool: Spool;
  /** Of a webhook, or of a body as it is. */
  receive(webhook: object | string): Promise<ReceiveResult>;
  stop(): Promise<void>;
}

export interface IntakeSettings {
  readonly databaseUrl: string;
  readonly keyringDir: string;
  readonly source: LiveSource;
  readonly queue: Queue;
  /** How often it looks for new keys, in milliseconds. */
  readonly lookEveryMs: number;
  /** Where it spools; a folder of its own, removed in the end, unless given. */
  readonly spoolDir?: string;
  readonly spoolLimits?: SpoolLimits;
  /** Has gates held until it beats; nothing unless given. */
  readonly expect?: () => Promise<void>;
}

/** Starts one; any number may run on one database. */
export async function runIntake(settings: IntakeSettings): Promise<RunningIntake> {
  const keys = await watchKeyring(settings.keyringDir, { everyMs: settings.lookEveryMs });
  const sql: Sql = connect(settings.databaseUrl, { application: 'receiver', connections: 3 });
  // The driver learns the array types with the first answer of a pool.
  await sql`select 1`;
  const folder = await makeTempFolder('spool');
  const spool = await openSpool(settings.spoolDir ?? `${folder}/spool`, settings.spoolLimits);
  const dataKeys = createDataKeys((row) => saveDataKey(sql, row));
  const sealer = createSealer({ keyring: keys.keyring, saveDataKey: dataKeys.save, now: Date.now });
  const { intake, recorder } = createIntake({
    sql,
    keyring: keys.keyring,
    sealer,
    dataKeys,
    spool,
    prepare: () => Promise.resolve(),
    prepared: true,
    expect: settings.expect ?? (() => Promise.resolve()),
    queue: settings.queue,
    config: parseConfig({ file: 'test.yaml', source: 'sources: [{ name: home }]', app: 'receiver', env: {} }),
    log: createLogger({ app: 'receiver', level: 'silent' }),
    metrics: createMetrics({ app: 'receiver' }),
  });
  return {
    keys,
    recorder,
    spool,
    receive(webhook) {
      const body = typeof webhook === 'string' ? webhook : JSON.stringify(webhook);
      return receiveDelivery(intake, settings.source, Buffer.from(body));
    },
    async stop() {
      keys.stop();
      await intake.committer.drained();
      await spool.close();
      await sql.end({ timeout: 3 });
      await rm(folder, { recursive: true, force: true });
    },
  };
}
