import { errorCode, type Log } from '@tidegate/runtime';
import { addOpenedValues, loadDataKey, type Sql, saveDataKey } from '@tidegate/store';
import { createSealer, type Sealer } from '@tidegate/vault';
import { createOpener, type Opener } from '@tidegate/vault/open';
import { createOpeningCounter } from './audit/count-openings.ts';
import type { WatchedKeys } from './watch-keys.ts';

const COUNT_OPENINGS_MS = 5000;

/** Sealing and opening over one store. */
export interface OpenedVault {
  readonly sealer: Sealer;
  readonly opener: Opener;
  /** Writes down the last openings and lets the keys go. */
  stop(): Promise<void>;
}

/** What the worker seals and opens with: every opening is counted (DESIGN §4). */
export function openVault(sql: Sql, keys: WatchedKeys, log: Log): OpenedVault {
  const openings = createOpeningCounter({
    save: (counts) => addOpenedValues(sql, counts),
    everyMs: COUNT_OPENINGS_MS,
    onFailed: (error) => log.warn('store.unavailable', { operation: 'count_openings', code: errorCode(error) }),
  });
  return {
    sealer: createSealer({ keyring: keys.keyring, saveDataKey: (row) => saveDataKey(sql, row), now: Date.now }),
    opener: createOpener({
      keyring: keys.opening,
      loadDataKey: (id) => loadDataKey(sql, id),
      onOpened: openings.onOpened,
    }),
    async stop() {
      keys.stop();
      await openings.stop();
    },
  };
}
