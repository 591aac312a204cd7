import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  createAddressGuard,
  createLocaltonetClient,
  createNotifier,
  createPinger,
  createProbeClient,
  createStatusClient,
} from '@tidegate/outbound';
import { type Config, createLogger, createMetrics } from '@tidegate/runtime';
import { connect, loadDataKey, saveDataKey } from '@tidegate/store';
import { createKeyring, createSealer, loadKeyring } from '@tidegate/vault';
import { createOpener, loadOpeningKeyring } from '@tidegate/vault/open';
import { NO_TRACES } from '../../apps/worker/src/trace/create-traces.ts';
import type { WorkerContext } from '../../apps/worker/src/worker-context.ts';
import { POLICIES } from './policies.ts';
import { makeTempFolder } from './temp-folder.ts';

const DAY_MS = 86_400_000;

export interface WorkerContextOptions {
  readonly databaseUrl: string;
  readonly localtonet: { readonly baseUrl: string; readonly apiKey: string; readonly pollEveryMs: number } | null;
  readonly services?: Config['services'];
  readonly watch?: 'linked' | 'all';
  readonly policy?: Partial<(typeof POLICIES)['fallback']>;
  readonly notify?: Partial<Config['notify']>;
  readonly log?: (line: string) => void;
}

/** The context of a worker on a database, whose queue loses every alarm: what its rooms do must not depend on one. */
export async function makeWorkerContext(
  options: WorkerContextOptions,
): Promise<{ context: WorkerContext; dataDir: string; close(): Promise<void> }> {
  const folder = await makeTempFolder('worker');
  const keyringDir = join(folder, 'keyring');
  await createKeyring(keyringDir);
  const keyring = await loadKeyring(keyringDir);
  const sql = connect(options.databaseUrl, { application: 'worker', connections: 4 });
  const guard = createAddressGuard({ allowPrivate: ['127.0.0.1/32'], denied: [] });
  const probes = createProbeClient({ guard });
  const notifier = createNotifier({ guard, secrets: [] });
  const pinger = createPinger({ guard });
  const account = options.localtonet;
  const localtonet = account === null ? null : createLocaltonetClient({ ...account, timeoutMs: 5000, guard });
  const context: WorkerContext = {
    sql,
    config: toConfig(options),
    keyring,
    sealer: createSealer({ keyring, saveDataKey: (row) => saveDataKey(sql, row), now: Date.now }),
    opener: createOpener({ keyring: await loadOpeningKeyring(keyringDir), loadDataKey: (id) => loadDataKey(sql, id) }),
    queue: {
      publish: () => Promise.reject(new Error('the queue is gone')),
      consume: () => ({ close: () => Promise.resolve() }),
      ping: () => Promise.resolve(false),
      close: () => Promise.resolve(),
    } as WorkerContext['queue'],
    probes,
    localtonet,
    callbacks: {
      send: () => Promise.reject(new Error('nothing is sent')),
      close: () => Promise.resolve(),
    } as WorkerContext['callbacks'],
    statuses: createStatusClient({ guard }),
    notifier,
    pinger,
    traces: NO_TRACES,
    log: createLogger({ app: 'worker', level: 'debug', destination: { write: (line: string) => options.log?.(line) } }),
    metrics: createMetrics({ app: 'worker' }),
    random01: () => 0.5,
  };
  const close = async () => {
    await Promise.all([localtonet?.close(), probes.close(), notifier.close(), pinger.close(), sql.end({ timeout: 3 })]);
    await rm(folder, { recursive: true, force: true });
  };
  return { context, dataDir: folder, close };
}

function toConfig({
  localtonet,
  services = [],
  watch = 'linked',
  policy = {},
  notify = {},
}: WorkerContextOptions): Config {
  const source = { name: 'home-lab', group: 'home-lab', timeZone: 'UTC', watch, secret: null };
  return {
    file: 'planted.yaml',
    sources: [source],
    localtonet,
    services,
    policies: { default: { ...POLICIES.fallback, ...policy } },
    mass: { windowMs: 30_000, minDevices: 5, fraction: 0.5 },
    receiver: {
      publicUrl: null,
      trustedProxies: [],
      skewBoundMs: 120_000,
      silentAfterMs: 5000,
      retireAfterMs: 86_400_000,
      allowFrom: [],
      rateLimit: null,
      allowSelfDependency: false,
    },
    outbound: { probes: { allowPrivate: ['127.0.0.1/32'], control: null }, callbacks: { allowPrivate: [] } },
    retention: {
      observationsMs: 90 * DAY_MS,
      incidentsMs: 365 * DAY_MS,
      verificationsMs: 30 * DAY_MS,
      callbacksMs: 30 * DAY_MS,
      idempotencyMs: 7 * DAY_MS,
      quarantineMs: 30 * DAY_MS,
    },
    notify: {
      channels: [],
      routes: [],
      groupUpdatesMs: 120_000,
      pageUrl: null,
      allowPrivate: [],
      retry: { attempts: 200, baseDelayMs: 5000, maxDelayMs: 300_000, maxElapsedMs: 21_600_000 },
      ...notify,
    },
    deadMan: null,
    traces: null,
    defaultsTaken: [],
  };
}

/** A service without a URL probe: its device and tunnel layers decide. */
export function plainService(name: string, device: string | null, tunnel: string | null): Config['services'][number] {
  return {
    name,
    source: 'home-lab',
    group: 'home-lab',
    device,
    tunnel,
    probes: { liveness: null, readiness: null, public: null, application: null },
    policy: 'default',
    severity: 'critical',
    essential: [],
    callbackOrigins: [],
    signingSecret: null,
  };
}
