import type { AddressInfo } from 'node:net';
import { createQueue } from '@tidegate/queue';
import { createLogger, createMetrics, loadConfig, readProcessEnv } from '@tidegate/runtime';
import { connect, saveDataKey } from '@tidegate/store';
import { createSealer, loadKeyring } from '@tidegate/vault';

/** More gain nothing on two cores. */
const CONNECTIONS = 32;

type AnnounceModule = typeof import('../../../apps/receiver/src/record/announce-effects.ts');
type SettingsModule = typeof import('../../../apps/receiver/src/record/record-settings.ts');
type CommitModule = typeof import('../../../apps/receiver/src/record/create-commit.ts');
type SourceModule = typeof import('../../../apps/receiver/src/source/source-directory.ts');
type AppModule = typeof import('../../../apps/receiver/src/receive/webhook-app.ts');
type ServerModule = typeof import('../../../apps/receiver/src/receive/webhook-server.ts');

/** What ships is measured, so the receiver's parts come from its `dist`; only their types from the source. */
async function load<T>(path: string): Promise<T> {
  return import(new URL(`../../../apps/receiver/dist/${path}`, import.meta.url).href) as Promise<T>;
}

const { createAnnouncer } = await load<AnnounceModule>('record/announce-effects.js');
const { recordSettings } = await load<SettingsModule>('record/record-settings.js');
const { createCommit } = await load<CommitModule>('record/create-commit.js');
const { createSourceDirectory } = await load<SourceModule>('source/source-directory.js');
const { createWebhookApp } = await load<AppModule>('receive/webhook-app.js');
const { createWebhookServer } = await load<ServerModule>('receive/webhook-server.js');

// The receiver's own code with one difference: each delivery is committed by itself, as many at once as there are connections.
const env = readProcessEnv();
const databaseUrl = env.databaseUrl ?? '';
const keyring = await loadKeyring(`${env.dataDir}/keyring`);
const sql = connect(databaseUrl, { application: 'bench', connections: CONNECTIONS });
const sealer = createSealer({ keyring, saveDataKey: (row) => saveDataKey(sql, row), now: Date.now });
await sealer.ready();
const log = createLogger({ app: 'bench', level: env.logLevel });
const commit = createCommit({
  sql,
  keyring,
  sealer,
  dataKeys: { owes: () => false, settle: () => Promise.resolve() },
  settings: recordSettings(loadConfig({ file: env.configFile, app: 'receiver' })),
  announce: createAnnouncer(await createQueue({ databaseUrl, redisUrl: null }), log),
  log,
  metrics: createMetrics({ app: 'bench' }),
});
const app = createWebhookApp({
  intake: {
    keyring,
    sealer,
    committer: {
      submit: async (item) => (await commit([item]))[0] ?? { kind: 'refused' },
      drained: () => Promise.resolve(),
    },
    quarantine: { keep: () => Promise.resolve(), recheck: () => Promise.resolve() },
    now: Date.now,
  },
  sources: await createSourceDirectory(sql, keyring),
  tally: { note: () => undefined },
  limit: null,
  onReject: () => undefined,
});
const server = createWebhookServer(app);
server.listen(0, '127.0.0.1', () => {
  process.send?.({ type: 'ready', port: (server.address() as AddressInfo).port });
});
process.once('disconnect', () => process.exit(0));
