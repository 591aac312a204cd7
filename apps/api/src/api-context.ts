import type { HttpBindings } from '@hono/node-server';
import type { Log, Metrics } from '@tidegate/runtime';
import type { Keyring, Sealer } from '@tidegate/vault';
import type { KeyFinder } from './auth/key-finder.ts';
import type { GateReader } from './gate/gate-reader.ts';
import type { GateWatcher } from './gate/gate-watcher.ts';
import type { ApiStore } from './store/bind-store.ts';

/** What the routes share. */
export interface ApiContext {
  readonly store: ApiStore;
  readonly keys: KeyFinder;
  readonly gates: GateReader;
  readonly watcher: GateWatcher;
  readonly keyring: Keyring;
  readonly sealer: Sealer;
  /** By service: the origins its callbacks may go to. A service that is absent may send to any. */
  readonly callbackOrigins: ReadonlyMap<string, ReadonlySet<string>>;
  /** Tells the release room that there is something to look at; never throws and need not be waited for. */
  readonly wakeRelease: () => void;
  readonly log: Log;
  readonly metrics: Metrics;
}

/**
 * What Hono knows of a request: Node's own objects, the key it came with, and the services which that may see and act for
 * (null: all).
 */
export interface ApiEnv {
  Bindings: HttpBindings;
  Variables: {
    services: readonly string[] | null;
    key: { readonly id: string; readonly name: string };
  };
}
