import type { Log } from '@tidegate/runtime';
import { type WatchedKeyring, watchKeyring } from '@tidegate/vault';

/** Loads the seal side of the keyring and goes on watching its files. Throws AppError as `loadKeyring` does. */
export async function watchKeys(dir: string, log: Log): Promise<WatchedKeyring> {
  const watched = await watchKeyring(dir, {
    onReloaded: () => {
      const { fingerprint, recipient } = watched.keyring;
      log.info('keyring.reloaded', { fingerprintVersion: fingerprint.current, recipient: recipient.id });
    },
    onFailed: (error) => log.warn('keyring.unreadable', { error }),
  });
  return watched;
}
