import { join } from 'node:path';
import { AppError } from '@tidegate/core';
import { type Config, ensureSecretFile, type Log } from '@tidegate/runtime';
import { claimKeyring, connect, createApiKey, keyringMismatch, migrate, readKeyringId } from '@tidegate/store';
import {
  createKeyring,
  loadKeyring,
  lookupHash,
  newApiKey,
  newId,
  newPathSecret,
  newSigningSecret,
} from '@tidegate/vault';
import type { UpSettings } from './up-settings.ts';

export interface PreparedStore {
  readonly adminKey: string;
  readonly sources: readonly { readonly name: string; readonly secret: string }[];
  /** True on the first start with this data folder: then the advice about backing up the keyring is due. */
  readonly keyringCreated: boolean;
}

/** Makes what a first start needs: keyring, schema, admin key, path secrets. Run again, it changes nothing. */
export async function prepareStore(options: {
  settings: UpSettings;
  config: Config;
  databaseUrl: string;
  log: Log;
}): Promise<PreparedStore> {
  const { settings, config, databaseUrl, log } = options;
  const keyringDir = join(settings.dataDir, 'keyring');
  const { applied } = await migrate(databaseUrl);
  if (applied > 0) log.info('schema.migrated', { applied });
  const sql = connect(databaseUrl, { application: 'up', connections: 1 });
  let created: boolean;
  let adminKey: string;
  try {
    // A new keyring could open nothing there, and would be in the way of the backup that has to be put back.
    if ((await readKeyringId(sql)) !== null && !(await holdsKeyring(keyringDir))) throw keyringMismatch();
    ({ created } = await createKeyring(keyringDir));
    const keyring = await loadKeyring(keyringDir);
    await claimKeyring(sql, keyring.id);
    ({ secret: adminKey } = await ensureSecretFile(settings.dataDir, 'admin-key', newApiKey));
    await createApiKey(sql, {
      id: newId('key'),
      name: 'admin',
      lookupHash: lookupHash(keyring, 'api-key', adminKey),
      scopes: ['admin'],
      services: null,
      expiresAt: null,
    });
  } finally {
    await sql.end({ timeout: 3 });
  }
  const sources = await takeSourceSecrets(config, settings.dataDir);
  // The worker reads it there; the owner gives it to the receiver that checks signatures.
  for (const { name, signingSecret } of config.services) {
    if (signingSecret === null) await ensureSecretFile(settings.dataDir, `signing-secret-${name}`, newSigningSecret);
  }
  return { adminKey, sources, keyringCreated: created };
}

/** The path secret of each source as it is now: of the config, or of its file in the data folder, made when there is none. */
export function takeSourceSecrets(config: Config, dataDir: string): Promise<PreparedStore['sources']> {
  return Promise.all(
    config.sources.map(async ({ name, secret }) => ({
      name,
      secret: secret ?? (await ensureSecretFile(dataDir, `source-secret-${name}`, newPathSecret)).secret,
    })),
  );
}

/** Whether there is a keyring, in whatever state. */
function holdsKeyring(dir: string): Promise<boolean> {
  return loadKeyring(dir).then(
    () => true,
    (error: unknown) => !(error instanceof AppError && error.code === 'keyring_missing'),
  );
}
