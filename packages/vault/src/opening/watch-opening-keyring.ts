import { join } from 'node:path';
import { KEY_FILE_NAMES } from '../keyring/key-file.ts';
import { watchFiles } from '../keyring/watch-files.ts';
import type { KeyringWatchOptions } from '../keyring/watch-keyring.ts';
import { loadOpeningKeyring, OPEN_SIDE, type OpeningKeyring } from './load-opening-keyring.ts';

const LOOK_EVERY_MS = 2000;

export interface WatchedOpeningKeyring {
  /** Always the keys of the latest good files. */
  readonly keyring: OpeningKeyring;
  look(): Promise<boolean>;
  stop(): void;
}

/** Loads the open side, and again whenever its files are replaced; see `watchKeyring`. */
export async function watchOpeningKeyring(
  dir: string,
  options: KeyringWatchOptions = {},
): Promise<WatchedOpeningKeyring> {
  let privateKeys: OpeningKeyring['privateKeys'] | null = null;
  const watch = await watchFiles({
    paths: OPEN_SIDE.map((kind) => join(dir, KEY_FILE_NAMES[kind])),
    everyMs: options.everyMs ?? LOOK_EVERY_MS,
    load: async () => {
      const isFirst = privateKeys === null;
      ({ privateKeys } = await loadOpeningKeyring(dir));
      if (!isFirst) options.onReloaded?.();
    },
    onFailed: (error) => options.onFailed?.(error),
  });
  const keyring: OpeningKeyring = {
    get privateKeys() {
      return privateKeys ?? new Map();
    },
  };
  return { keyring, look: watch.look, stop: watch.stop };
}
