import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SafeName, sanitizeName } from '@tidegate/core';
import { startEmbeddedPostgres } from '@tidegate/embedded';
import {
  type Agent,
  createFleet,
  type Fleet,
  type LocaltonetAccount,
  startAgent,
  startLocaltonetAccount,
} from '@tidegate/simulator';
import { applyTopology, connect, migrate, type Sql, saveDataKey } from '@tidegate/store';
import {
  createKeyring,
  createSealer,
  fingerprintSubject,
  type Keyring,
  loadKeyring,
  newAlias,
  newPathSecret,
  type Sealer,
} from '@tidegate/vault';
import { type StartedServer, startServer } from '../servers/start-server.ts';

const GROUP = 'bench';
const API_KEY = 'bench-api-key';
/** Devices whose names and edges are planted in one transaction. */
const BATCH = 250;

export interface StormPlan {
  readonly devices: number;
  readonly tunnelsPerDevice: number;
  /** The first so many devices have a service each. */
  readonly services: number;
}

/** A fleet, its Localtonet account, one agent that all services are probed at, and the receiver and the worker beside Postgres. */
export interface Storm {
  readonly fleet: Fleet;
  readonly account: LocaltonetAccount;
  readonly agent: Agent;
  readonly sql: Sql;
  readonly receiver: StartedServer;
  readonly worker: StartedServer;
  readonly webhookUrl: string;
  /** What the apps printed last. */
  readLog(): Promise<string>;
  close(): Promise<void>;
}

export const serviceOf = (index: number): string => `service-${index + 1}`;

export async function startStorm(plan: StormPlan): Promise<Storm> {
  const folder = await mkdtemp(join(tmpdir(), 'tidegate-storm-'));
  const closing: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
  const close = async () => {
    for (const step of closing.splice(0).reverse()) await step();
  };
  const keep = <T>(part: T, stop: (part: T) => Promise<unknown>): T => {
    closing.push(() => stop(part));
    return part;
  };
  try {
    const fleet = createFleet(plan);
    const account = keep(await startLocaltonetAccount({ apiKey: API_KEY }), (it) => it.close());
    fleet.addTo(account);
    const agent = keep(await startAgent({ probeToken: 'bench' }), (it) => it.close());
    const postgres = keep(await startEmbeddedPostgres({ dataDir: join(folder, 'postgres') }), (it) => it.stop());
    const log = keep(await open(join(folder, 'log'), 'a'), (it) => it.close());
    const secret = newPathSecret();
    await createKeyring(join(folder, 'keyring'));
    const config = toConfig(plan, { account, agent, secret, fleet });
    await writeFile(join(folder, 'tidegate.yaml'), JSON.stringify(config), { mode: 0o600 });
    await migrate(postgres.url);
    const sql = keep(connect(postgres.url, { application: 'bench', connections: 2 }), (it) => it.end({ timeout: 3 }));
    await plantTopology(sql, await loadKeyring(join(folder, 'keyring')), fleet);
    const env = toEnvironment(folder, postgres.url);
    const start = async (app: 'receiver' | 'worker') =>
      keep(await startServer({ entry: app, env: { ...env, TIDEGATE_PORT: '0' }, logFd: log.fd }), (it) => it.stop());
    const receiver = await start('receiver');
    const worker = await start('worker');
    const webhookUrl = `http://127.0.0.1:${receiver.port}/hooks/localtonet/${secret}`;
    const readLog = async () => (await readFile(join(folder, 'log'), 'utf8')).slice(-4000);
    return { fleet, account, agent, sql, receiver, worker, webhookUrl, readLog, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function toConfig(
  plan: StormPlan,
  { account, agent, secret, fleet }: { account: LocaltonetAccount; agent: Agent; secret: string; fleet: Fleet },
) {
  return {
    sources: [{ name: GROUP, group: GROUP, timeZone: 'UTC', watch: 'all', secret }],
    localtonet: { baseUrl: account.baseUrl, apiKey: API_KEY },
    services: fleet.devices.slice(0, plan.services).map(({ name }, index) => ({
      name: serviceOf(index),
      source: GROUP,
      device: name,
      probes: { liveness: { url: `${agent.url}/livez` } },
    })),
    outbound: { probes: { allowPrivate: ['127.0.0.1/32'] } },
  };
}

function toEnvironment(folder: string, databaseUrl: string): Record<string, string> {
  return {
    TIDEGATE_CONFIG: join(folder, 'tidegate.yaml'),
    TIDEGATE_DATA_DIR: folder,
    TIDEGATE_HOST: '127.0.0.1',
    TIDEGATE_ADMIN_PORT: '0',
    DATABASE_URL: databaseUrl,
    REDIS_URL: '',
    LOG_LEVEL: 'info',
  };
}

/** The account's names and edges, as the worker would have learnt them over time. */
async function plantTopology(sql: Sql, keyring: Keyring, fleet: Fleet): Promise<void> {
  const sealer: Sealer = createSealer({ keyring, saveDataKey: (row) => saveDataKey(sql, row), now: Date.now });
  await sealer.ready();
  const identify = (type: 'device' | 'tunnel', id: string) => {
    const alias = newAlias(type === 'device' ? 'dev' : 'tun');
    const sealedId = type === 'device' ? sealer.seal(id, { row: alias, purpose: 'subject-id' }) : null;
    const fingerprint = fingerprintSubject(keyring, { group: GROUP, type, id });
    return { group: GROUP, type, fingerprint, alias, publicId: type === 'device' ? null : id, sealedId };
  };
  const named = (text: string): SafeName => sanitizeName(text);
  for (let start = 0; start < fleet.devices.length; start += BATCH) {
    const devices = fleet.devices.slice(start, start + BATCH);
    await applyTopology(
      sql,
      GROUP,
      devices.map(({ token, name }) => ({ identity: identify('device', token), name: named(name) })),
      devices.flatMap(({ tunnels }, device) =>
        tunnels.map(({ id, title }) => ({ identity: identify('tunnel', id), device, name: named(title) })),
      ),
    );
  }
}
