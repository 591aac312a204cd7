import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@tidegate/embedded';
import { startWorld, type World } from '@tidegate/simulator';
import { connect, createCallback, migrate, type Sql, saveDataKey } from '@tidegate/store';
import { createKeyring, createSealer, loadKeyring, lookupHash, newId, newPathSecret } from '@tidegate/vault';
import { type StartedServer, startServer } from '../servers/start-server.ts';
import { type Destinations, startDestinations } from './start-destinations.ts';

export interface OutagePlan {
  readonly callbacks: number;
  readonly destinations: number;
  readonly keysPerDestination: number;
  readonly redisUrl: string | null;
}

/** One service whose device is offline, with callbacks that wait for it, and the apps that will let them go. */
export interface Outage {
  readonly sql: Sql;
  readonly world: World;
  readonly destinations: Destinations;
  /** The worker that runs now. */
  worker(): StartedServer;
  /** Kills it, as `kill -9` does, and starts another. */
  replaceWorker(): Promise<void>;
  /** The gate's state now. */
  gate(): Promise<string>;
  /** What the apps printed last. */
  readLog(): Promise<string>;
  close(): Promise<void>;
}

const NAME = 'bench';
const HANDING_OVER = 8;

/** Starts Postgres, receiver, worker and destinations, cuts the device, and hands over what waits. */
export async function startOutage(plan: OutagePlan): Promise<Outage> {
  const folder = await mkdtemp(join(tmpdir(), 'tidegate-release-'));
  const closing: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
  const close = async () => {
    for (const step of closing.splice(0).reverse()) await step();
  };
  const keep = <T>(part: T, stop: (part: T) => Promise<unknown>): T => {
    closing.push(() => stop(part));
    return part;
  };
  try {
    const world = keep(await startWorld(), (it) => it.close());
    const destinations = keep(await startDestinations(plan.destinations), (it) => it.close());
    const postgres = keep(await startEmbeddedPostgres({ dataDir: join(folder, 'postgres') }), (it) => it.stop());
    const log = keep(await open(join(folder, 'log'), 'a'), (it) => it.close());
    const secret = newPathSecret();
    await createKeyring(join(folder, 'keyring'));
    await writeFile(join(folder, 'tidegate.yaml'), JSON.stringify(toConfig(world, secret)), { mode: 0o600 });
    await migrate(postgres.url);
    const sql = keep(connect(postgres.url, { application: 'bench', connections: HANDING_OVER }), (it) => it.end());
    const env = toEnvironment(folder, postgres.url, plan.redisUrl);
    const start = (entry: 'receiver' | 'worker') => startServer({ entry, env, logFd: log.fd });
    let worker = await start('worker');
    closing.push(() => worker.stop());
    const receiver = keep(await start('receiver'), (it) => it.stop());
    world.connectWebhook(`http://127.0.0.1:${receiver.port}/hooks/localtonet/${secret}`);
    const gate = async () => (await sql<{ state: string }[]>`select state from gate`)[0]?.state ?? 'none';
    while ((await gate()) !== 'open') await new Promise((resolve) => setTimeout(resolve, 100));
    await world.account.deviceGoesOffline(world.deviceName);
    await handOver(sql, join(folder, 'keyring'), plan, destinations.urls);
    return {
      sql,
      world,
      destinations,
      gate,
      worker: () => worker,
      async replaceWorker() {
        process.kill(worker.pid, 'SIGKILL');
        worker = await start('worker');
      },
      readLog: async () => (await readFile(join(folder, 'log'), 'utf8')).slice(-4000),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function toConfig(world: World, secret: string) {
  const probes = { liveness: { url: world.probeUrls.liveness } };
  return {
    sources: [{ name: NAME, group: NAME, timeZone: 'UTC', watch: 'linked', secret }],
    localtonet: { baseUrl: world.account.baseUrl, apiKey: world.apiKey },
    services: [{ name: NAME, source: NAME, device: world.deviceName, tunnel: world.tunnelId, probes }],
    policies: {
      default: {
        flap: { opensAt: 100, settlesAt: 10 },
        verify: { passes: 1, every: '200ms', timeout: '2s', edgeTimeout: '4s' },
        release: { maxPerSecond: 1000, retry: { baseDelay: '200ms', maxDelay: '1s' } },
      },
    },
    outbound: { probes: { allowPrivate: ['127.0.0.1/32'] }, callbacks: { allowPrivate: ['127.0.0.1/32'] } },
  };
}

function toEnvironment(folder: string, databaseUrl: string, redisUrl: string | null): Record<string, string> {
  return {
    TIDEGATE_CONFIG: join(folder, 'tidegate.yaml'),
    TIDEGATE_DATA_DIR: folder,
    TIDEGATE_HOST: '127.0.0.1',
    TIDEGATE_PORT: '0',
    TIDEGATE_ADMIN_PORT: '0',
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl ?? '',
    LOG_LEVEL: 'info',
  };
}

/** The Idempotency-Key of a callback tells its destination, its ordering key and its place under that. */
function keyOf(index: number, plan: OutagePlan): { readonly key: string; readonly orderingKey: string } {
  const destination = index % plan.destinations;
  const turn = Math.floor(index / plan.destinations);
  const orderingKey = `${destination}.${turn % plan.keysPerDestination}`;
  return { key: `${orderingKey}.${Math.floor(turn / plan.keysPerDestination)}`, orderingKey };
}

/** Stores what agents handed over while the gate was held, each ordering key in its order. */
async function handOver(sql: Sql, keyringDir: string, plan: OutagePlan, urls: readonly string[]): Promise<void> {
  const keyring = await loadKeyring(keyringDir);
  const sealer = createSealer({ keyring, saveDataKey: (row) => saveDataKey(sql, row), now: Date.now });
  await sealer.ready();
  const stride = plan.destinations * plan.keysPerDestination;
  const store = async (index: number) => {
    const { key, orderingKey } = keyOf(index, plan);
    const url = urls[index % urls.length] ?? '';
    const row = newId('cb');
    await createCallback(sql, {
      id: row,
      service: NAME,
      keyHash: lookupHash(keyring, 'idempotency-key', key),
      payloadHash: lookupHash(keyring, 'payload', key),
      method: 'POST',
      origin: url,
      safety: 'unsafe',
      repeat: index % 2 === 0 ? 'deduplicated' : 'forbidden',
      sealedUrl: sealer.seal(`${url}/done`, { row, purpose: 'callback-url' }),
      sealedHeaders: sealer.seal('{"content-type":"application/json"}', { row, purpose: 'callback-headers' }),
      sealedBody: sealer.seal(JSON.stringify({ key }), { row, purpose: 'callback-body' }),
      sealedIdempotencyKey: sealer.seal(key, { row, purpose: 'callback-idempotency-key' }),
      deadlineAt: null,
      orderingHash: lookupHash(keyring, 'ordering-key', orderingKey),
      status: null,
      passesHeld: false,
    });
  };
  // A round holds each ordering key once, so that the rounds make the order.
  for (let start = 0; start < plan.callbacks; start += stride) {
    const round = Array.from({ length: Math.min(stride, plan.callbacks - start) }, (_, offset) => start + offset);
    await Promise.all(round.map(store));
  }
}
