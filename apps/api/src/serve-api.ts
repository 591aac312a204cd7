import type { Log, Metrics } from '@tidegate/runtime';
import { type Sql, saveDataKey } from '@tidegate/store';
import { createSealer, type Keyring, lookupHash } from '@tidegate/vault';
import { createApiApp } from './api-app.ts';
import type { ApiContext } from './api-context.ts';
import { createKeyFinder } from './auth/key-finder.ts';
import { createEventTail } from './event/event-tail.ts';
import { createGateReader } from './gate/gate-reader.ts';
import { createGateWatcher } from './gate/gate-watcher.ts';
import { presentGate } from './gate/present-gate.ts';
import { createChangeWatcher } from './page/live/change-watcher.ts';
import { listen } from './server/listen.ts';
import { type ApiStore, bindStore } from './store/bind-store.ts';

const STORE_TIMEOUT_MS = 5000;
/** A long poll or a stream learns of a change about this long after it was committed. */
const GATE_POLL_MS = 250;
/** And a page that somebody looks at about this long. */
const PAGE_POLL_MS = 1000;
const DRAIN_MS = 5000;

export interface ServeOptions {
  readonly sql: Sql;
  readonly keyring: Keyring;
  readonly callbackOrigins: ApiContext['callbackOrigins'];
  readonly probes: ApiContext['probes'];
  /** Where people and their readers reach this api; null when the config does not say. */
  readonly pageUrl: string | null;
  /** How long a registered receiver may be silent before every gate is held. */
  readonly silentAfterMs: number;
  readonly wakeRelease: () => void;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly host: string;
  /** 0 = any free port. */
  readonly port: number;
  /** How long the store may take for one call, in milliseconds; 5 s unless given. */
  readonly storeTimeoutMs?: number;
}

export interface ServedApi {
  readonly port: number;
  /** Whether the store answers. */
  ready(): Promise<boolean>;
  /** Answers the long polls, lets the other requests end (5 s at most), and frees the port. */
  close(): Promise<void>;
}

/** Starts serving. Rejects as `server.listen` does; a store that is away does not hinder it, and is answered with 503. */
export async function serveApi(options: ServeOptions): Promise<ServedApi> {
  const { sql, keyring, log } = options;
  const store = bindStore(sql, options.storeTimeoutMs ?? STORE_TIMEOUT_MS);
  const gates = createGateReader((services) => readAndDecide(store, services, options.silentAfterMs));
  const watcher = createGateWatcher(gates, { pollEveryMs: GATE_POLL_MS });
  const events = createEventTail(store.readEvents, { pollEveryMs: GATE_POLL_MS, nowMs: () => performance.now() });
  const changes = createChangeWatcher(() => store.readChangeMark(options.silentAfterMs), { everyMs: PAGE_POLL_MS });
  const sealer = createSealer({
    keyring,
    saveDataKey: (row) => saveDataKey(sql, row),
    now: Date.now,
    onReplaceFailed: (error) => log.warn('store.unavailable', { operation: 'save_data_key', error }),
  });
  const keys = createKeyFinder({
    hash: (key) => lookupHash(keyring, 'api-key', key),
    lookUp: store.findApiKey,
    nowMs: () => performance.now(),
  });
  const { callbackOrigins, probes, pageUrl, silentAfterMs, wakeRelease, metrics } = options;
  const app = createApiApp({
    store,
    keys,
    gates,
    watcher,
    events,
    changes,
    silentAfterMs,
    keyring,
    sealer,
    callbackOrigins,
    probes,
    pageUrl: pageUrl?.replace(/\/+$/, '') ?? null,
    wakeRelease,
    log,
    metrics,
  });
  const listener = await listen(app, options.host, options.port);
  return {
    port: listener.port,
    ready: () =>
      store.ping().then(
        () => true,
        () => false,
      ),
    close: async () => {
      watcher.stop();
      events.stop();
      changes.stop();
      await listener.close(DRAIN_MS);
    },
  };
}

async function readAndDecide(store: ApiStore, services: readonly string[] | null, silentAfterMs: number) {
  const rows = await store.readGates(services, silentAfterMs);
  return new Map(rows.map((row) => [row.service, presentGate(row, silentAfterMs)]));
}
