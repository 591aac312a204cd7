import type { CallbackSender, LocaltonetClient, Notifier, Pinger, ProbeClient, StatusClient } from '@tidegate/outbound';
import type { Queue } from '@tidegate/queue';
import type { Config, Log, Metrics } from '@tidegate/runtime';
import type { Sql } from '@tidegate/store';
import type { Keyring, Sealer } from '@tidegate/vault';
import type { Opener } from '@tidegate/vault/open';
import type { Traces } from './trace/create-traces.ts';

/** What the rooms of the worker share. */
export interface WorkerContext {
  readonly sql: Sql;
  readonly config: Config;
  readonly keyring: Keyring;
  readonly sealer: Sealer;
  readonly opener: Opener;
  readonly queue: Queue;
  readonly probes: ProbeClient;
  /** Null when no API key is configured: the device and tunnel layers are skipped. */
  readonly localtonet: LocaltonetClient | null;
  readonly callbacks: CallbackSender;
  readonly statuses: StatusClient;
  readonly notifier: Notifier;
  readonly pinger: Pinger;
  readonly traces: Traces;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly random01: () => number;
}
