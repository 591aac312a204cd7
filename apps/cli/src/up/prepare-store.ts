import { join } from 'node:path';
import { type Config, ensureSecretFile, type Log } from '@tidegate/runtime';
import { claimKeyring, connect, createApiKey, migrate } from '@tidegate/store';
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
  const { created } = await createKeyring(keyringDir);
  const keyring = await loadKeyring(keyringDir);
  const { applied } = await migrate(databaseUrl);
  if (applied > 0) log.info('schema.migrated', { applied });
  const { secret: adminKey } = await ensureSecretFile(settings.dataDir, 'admin-key', newApiKey);
  const sql = connect(databaseUrl, { application: 'up', connections: 1 });
  try {
    await claimKeyring(sql, keyring.id);
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
  const sources = await Promise.all(
    config.sources.map(async ({ name, secret }) => ({
      name,
      secret: secret ?? (await ensureSecretFile(settings.dataDir, `source-secret-${name}`, newPathSecret)).secret,
    })),
  );
  // The worker reads it there; the owner gives it to the receiver that checks signatures.
  for (const { name, signingSecret } of config.services) {
    if (signingSecret === null) await ensureSecretFile(settings.dataDir, `signing-secret-${name}`, newSigningSecret);
  }
  return { adminKey, sources, keyringCreated: created };
}
