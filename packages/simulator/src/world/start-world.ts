import type { LocaltonetAccount } from '../account/localtonet-account.ts';
import { startLocaltonetAccount } from '../account/start-localtonet-account.ts';
import type { WebhookRegistration } from '../account/webhook-delivery.ts';
import { type Agent, startAgent } from '../agent/start-agent.ts';
import { type CallbackReceiver, startCallbackReceiver } from '../callback-receiver/start-callback-receiver.ts';
import { inventToken } from '../fleet/create-fleet.ts';
import { createSeededRandom } from '../seeded-random.ts';
import { startTunnel, type Tunnel, type TunnelOptions } from '../tunnel/start-tunnel.ts';

export interface WorldOptions extends Pick<TunnelOptions, 'stoppedAppDelayMs' | 'appTimeoutMs'> {
  /** Where all changes are posted; absent: nowhere until `connectWebhook`. */
  readonly webhookUrl?: string;
  /** Decides the invented credentials and the order of bursts; default 1. */
  readonly seed?: number | string;
  /** Milliseconds before each API answer; default 0. */
  readonly apiLatencyMs?: number;
  /** Whether the callback receiver deduplicates by Idempotency-Key; default false. */
  readonly deduplicates?: boolean;
  /** Fixed ports for what may be restarted or named in a config file; absent = any. */
  readonly ports?: { agent?: number; tunnel?: number; account?: number; callbackReceiver?: number };
}

/** One device with one tunnel and one agent behind it, the account they belong to, and where the agent's callbacks go. */
export interface World {
  readonly deviceName: string;
  readonly deviceToken: string;
  readonly tunnelId: string;
  readonly apiKey: string;
  readonly probeToken: string;
  /** Every invented credential of this world, for leak scans. */
  readonly secrets: readonly string[];
  readonly agent: Agent;
  readonly tunnel: Tunnel;
  readonly account: LocaltonetAccount;
  readonly callbackReceiver: CallbackReceiver;
  /** What a service's probes are set to; `application` needs the header `authorization: Bearer <probeToken>`. */
  readonly probeUrls: Readonly<Record<'liveness' | 'readiness' | 'public' | 'application', string>>;
  /** Registers a webhook for all changes, or those named. */
  connectWebhook(
    url: string,
    registration?: Partial<Omit<WebhookRegistration, 'url'>>,
  ): ReturnType<LocaltonetAccount['addWebhook']>;
  /** Ends everything and leaves no socket, server or timer behind. */
  close(): Promise<void>;
}

interface Closable {
  close(): Promise<void>;
}

/** Starts a world on 127.0.0.1, all well. Throws `SimulatorError` (`port_in_use`) and then leaves nothing running. */
export async function startWorld(options: WorldOptions = {}): Promise<World> {
  const started: Closable[] = [];
  const keep = async <T extends Closable>(starting: Promise<T>): Promise<T> => {
    const part = await starting;
    started.unshift(part);
    return part;
  };
  const close = async () => {
    await Promise.all(started.map((part) => part.close()));
  };
  try {
    const world = wire(await startParts(options, keep), close);
    if (options.webhookUrl !== undefined) world.connectWebhook(options.webhookUrl);
    return world;
  } catch (error) {
    await close();
    throw error;
  }
}

type Parts = Awaited<ReturnType<typeof startParts>>;

async function startParts(options: WorldOptions, keep: <T extends Closable>(starting: Promise<T>) => Promise<T>) {
  const { seed = 1, ports = {}, stoppedAppDelayMs, appTimeoutMs } = options;
  const random = createSeededRandom(`world/${seed}`);
  const credentials = {
    deviceToken: inventToken(random),
    apiKey: inventToken(random),
    probeToken: inventToken(random),
  };
  const agent = await keep(startAgent({ probeToken: credentials.probeToken, port: ports.agent ?? 0 }));
  const tunnel = await keep(
    startTunnel({
      agentPort: agent.port,
      port: ports.tunnel ?? 0,
      ...(stoppedAppDelayMs === undefined ? {} : { stoppedAppDelayMs }),
      ...(appTimeoutMs === undefined ? {} : { appTimeoutMs }),
    }),
  );
  const account = await keep(
    startLocaltonetAccount({
      apiKey: credentials.apiKey,
      seed,
      latencyMs: options.apiLatencyMs ?? 0,
      port: ports.account ?? 0,
    }),
  );
  const callbackReceiver = await keep(
    startCallbackReceiver({ deduplicates: options.deduplicates ?? false, port: ports.callbackReceiver ?? 0 }),
  );
  return { credentials, agent, tunnel, account, callbackReceiver };
}

function wire({ credentials, ...parts }: Parts, close: () => Promise<void>): World {
  const { agent, tunnel, account } = parts;
  const deviceName = 'mac-mini';
  const tunnelId = '298487';
  account.addDevice({ token: credentials.deviceToken, name: deviceName });
  account.addTunnel({
    id: tunnelId,
    title: 'research-agent',
    url: tunnel.url,
    deviceToken: credentials.deviceToken,
    edge: tunnel,
  });
  return {
    deviceName,
    tunnelId,
    ...credentials,
    secrets: Object.values(credentials),
    ...parts,
    probeUrls: {
      liveness: `${agent.url}/livez`,
      readiness: `${agent.url}/readyz`,
      public: `${tunnel.url}/healthz`,
      application: `${tunnel.url}/whoami`,
    },
    connectWebhook: (url, registration = {}) =>
      account.addWebhook({ url, watch: { tokens: true, tunnels: true }, on: 'both', ...registration }),
    close,
  };
}
