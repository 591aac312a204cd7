import { type Config, readSecretFile } from '@tidegate/runtime';
import { applySources, type Sql } from '@tidegate/store';
import { type Keyring, lookupHash } from '@tidegate/vault';

/**
 * Registers the config's sources. A path secret comes from the config or from the file that the first start made; a
 * receiver without either relies on what is registered, since a secret of its own would be one that nobody posts to.
 * @throws AppError `source_secret_missing`
 */
export async function applyConfiguredSources(
  sql: Sql,
  keyring: Keyring,
  config: Config,
  dataDir: string,
): Promise<void> {
  const sources = await Promise.all(
    config.sources.map(async ({ name, group, timeZone, watch, secret }) => {
      const known = secret ?? (await readSecretFile(dataDir, `source-secret-${name}`));
      const secretHash = known === null ? null : lookupHash(keyring, 'source-secret', known);
      return { name, group, timeZone, watch, secretHash };
    }),
  );
  await applySources(sql, sources);
}
