import type { Queue } from '@tidegate/queue';
import { createLogger, createMetrics, parseConfig } from '@tidegate/runtime';
import { connect, type LiveSource, type Sql, saveDataKey } from '@tidegate/store';
import { createSealer, type WatchedKeyring, watchKeyring } from '@tidegate/vault';
import { type ReceiveResult, receiveDelivery } from '../../apps/receiver/src/receive/receive-delivery.ts';
import { createIntake } from '../../apps/receiver/src/record/create-intake.ts';

/** What a receiver does behind its listener, with keys, connections and caches of its own. */
export interface RunningIntake {
  readonly keys: WatchedKeyring;
  receive(webhook: object): Promise<ReceiveResult>;
  stop(): Promise<void>;
}

export interface IntakeSettings {
  readonly databaseUrl: string;
  readonly keyringDir: string;
  readonly source: LiveSource;
  readonly queue: Queue;
  /** How often it looks for new keys, in milliseconds. */
  readonly lookEveryMs: number;
}

/** Starts one; any number may run on one database. */
export async function runIntake(settings: IntakeSettings): Promise<RunningIntake> {
  const keys = await watchKeyring(settings.keyringDir, { everyMs: settings.lookEveryMs });
  const sql: Sql = connect(settings.databaseUrl, { application: 'receiver', connections: 3 });
  // The driver learns the array types with the first answer of a pool.
  await sql`select 1`;
  const sealer = createSealer({
    keyring: keys.keyring,
    saveDataKey: (row) => saveDataKey(sql, row),
    now: Date.now,
  });
  const intake = createIntake({
    sql,
    keyring: keys.keyring,
    sealer,
    queue: settings.queue,
    config: parseConfig({ file: 'test.yaml', source: 'sources: [{ name: home }]', app: 'receiver', env: {} }),
    log: createLogger({ app: 'receiver', level: 'silent' }),
    metrics: createMetrics({ app: 'receiver' }),
  });
  return {
    keys,
    receive: (webhook) => receiveDelivery(intake, settings.source, Buffer.from(JSON.stringify(webhook))),
    async stop() {
      keys.stop();
      await intake.committer.drained();
      await sql.end({ timeout: 3 });
    },
  };
}
