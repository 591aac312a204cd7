import type { Log } from '@tidegate/runtime';
import { type Keyring, watchKeyring } from '@tidegate/vault';
import { type OpeningKeyring, watchOpeningKeyring } from '@tidegate/vault/open';

/** Both sides of the keyring, current within seconds of a rotation. */
export interface WatchedKeys {
  readonly keyring: Keyring;
  readonly opening: OpeningKeyring;
  stop(): void;
}

/** Loads the keyring and goes on watching its files. Throws AppError as `loadKeyring` does, for the first load. */
export async function watchKeys(dir: string, log: Log): Promise<WatchedKeys> {
  const onFailed = (error: unknown) => log.warn('keyring.unreadable', { error });
  const opening = await watchOpeningKeyring(dir, { onFailed });
  const sealing = await watchKeyring(dir, {
    onReloaded: () =>
      log.info('keyring.reloaded', {
        fingerprintVersion: sealing.keyring.fingerprint.current,
        recipient: sealing.keyring.recipient.id,
      }),
    onFailed,
  });
  return {
    keyring: sealing.keyring,
    opening: opening.keyring,
    stop() {
      sealing.stop();
      opening.stop();
    },
  };
}
