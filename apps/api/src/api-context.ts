import type { HttpBindings } from '@hono/node-server';
import type { Layer } from '@tidegate/core';
import type { Log, Metrics } from '@tidegate/runtime';
import type { Keyring, Sealer } from '@tidegate/vault';
import type { KeyFinder } from './auth/key-finder.ts';
import type { EventTail } from './event/event-tail.ts';
import type { GateReader } from './gate/gate-reader.ts';
import type { GateWatcher } from './gate/gate-watcher.ts';
import type { ChangeWatcher } from './page/live/change-watcher.ts';
import type { ApiStore } from './store/bind-store.ts';

/** What the routes share. */
export interface ApiContext {
  readonly store: ApiStore;
  readonly keys: KeyFinder;
  readonly gates: GateReader;
  readonly watcher: GateWatcher;
  /** The numbered events, followed for all who read a stream of them. */
  readonly events: EventTail;
  /** Tells who looks at the pages that something on them has changed. */
  readonly changes: ChangeWatcher;
  /** Where people and their readers reach this api, without a slash at the end; null when the config does not say. */
  readonly pageUrl: string | null;
  /** How long a registered receiver may be silent before every gate is held. */
  readonly silentAfterMs: number;
  readonly keyring: Keyring;
  readonly sealer: Sealer;
  /** By service: the origins its callbacks may go to. A service that is absent may send to any. */
  readonly callbackOrigins: ReadonlyMap<string, ReadonlySet<string>>;
  /** By service: the layers its config has a probe for. A service that is absent is not in this process's config. */
  readonly probes: ReadonlyMap<string, readonly Layer[]>;
  /** Tells the release room that there is something to look at; never throws and need not be waited for. */
  readonly wakeRelease: () => void;
  readonly log: Log;
  readonly metrics: Metrics;
}

/**
 * What Hono knows of a request: Node's own objects, the key it came with, what that may do, and the services which it may see
 * and act for (null: all).
 */
export interface ApiEnv {
  Bindings: HttpBindings;
  Variables: {
    services: readonly string[] | null;
    scopes: readonly string[];
    key: { readonly id: string; readonly name: string };
  };
}
