import type { Config } from '@tidegate/runtime';
import { claimKeyring, migrate, type Sql } from '@tidegate/store';
import type { Keyring } from '@tidegate/vault';
import { applyConfiguredSources } from './source/apply-configured-sources.ts';

/**
 * What has to be done in the store before anything is recorded there; may be repeated.
 * @throws AppError retryable while the store is away; else of `migrate`, `claimKeyring` or `applyConfiguredSources`
 */
export async function prepareStore(options: {
  readonly databaseUrl: string;
  readonly sql: Sql;
  readonly keyring: Keyring;
  readonly config: Config;
  readonly dataDir: string;
}): Promise<void> {
  const { databaseUrl, sql, keyring, config, dataDir } = options;
  await migrate(databaseUrl);
  await claimKeyring(sql, keyring.id);
  await applyConfiguredSources(sql, keyring, config, dataDir);
}
