import { join } from 'node:path';
import { AppError } from '@tidegate/core';
import { KEY_FILE_NAMES } from './key-file.ts';
import type { Keyring } from './keyring.ts';
import { loadKeyring, SEAL_SIDE } from './load-keyring.ts';
import { watchFiles } from './watch-files.ts';

const LOOK_EVERY_MS = 2000;

export interface KeyringWatchOptions {
  /** How often the files are looked at, in milliseconds; 2000 unless given. */
  readonly everyMs?: number;
  /** Told when other keys are in use from now on. */
  readonly onReloaded?: () => void;
  /** Told when the files changed and cannot be used; the keys of before serve on, and they are read again soon. */
  readonly onFailed?: (error: unknown) => void;
}

export interface WatchedKeyring {
  /** Always the keys of the latest good files: hold on to this object, not to what it answers. */
  readonly keyring: Keyring;
  /** Looks at the files now; resolves to whether other keys are in use. */
  look(): Promise<boolean>;
  stop(): void;
}

/**
 * Loads the seal side, and again whenever its files are replaced, so that a rotation needs no restart (DESIGN §4).
 * @throws AppError as `loadKeyring` does, for the first load
 */
export async function watchKeyring(dir: string, options: KeyringWatchOptions = {}): Promise<WatchedKeyring> {
  let loaded: Keyring | null = null;
  const watch = await watchFiles({
    paths: SEAL_SIDE.map((kind) => join(dir, KEY_FILE_NAMES[kind])),
    everyMs: options.everyMs ?? LOOK_EVERY_MS,
    load: async () => {
      const next = await loadKeyring(dir);
      if (loaded !== null && next.id !== loaded.id) throw otherKeyring(dir);
      const isFirst = loaded === null;
      loaded = next;
      if (!isFirst) options.onReloaded?.();
    },
    onFailed: (error) => options.onFailed?.(error),
  });
  const keyring = liveView(() => loaded ?? unloaded());
  return { keyring, look: watch.look, stop: watch.stop };
}

/** A keyring that answers from whatever `current` gives at that moment. */
function liveView(current: () => Keyring): Keyring {
  return {
    get id() {
      return current().id;
    },
    get fingerprint() {
      return current().fingerprint;
    },
    get observation() {
      return current().observation;
    },
    get lookup() {
      return current().lookup;
    },
    get audit() {
      return current().audit;
    },
    get recipient() {
      return current().recipient;
    },
    get recipientIds() {
      return current().recipientIds;
    },
  };
}

function unloaded(): never {
  throw new Error('a watched keyring is loaded before it is handed out');
}

function otherKeyring(dir: string): AppError {
  return new AppError({
    code: 'keyring_replaced',
    publicMessage: 'The data folder holds another keyring than the one this process started with.',
    detail: dir,
  });
}
