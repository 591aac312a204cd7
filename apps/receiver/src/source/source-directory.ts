import { timingSafeEqual } from 'node:crypto';
import { type LiveSource, listSourceSecrets, type Sql } from '@tidegate/store';
import { type Keyring, lookupHash } from '@tidegate/vault';

/** Finds the source a path secret stands for, from memory; kept current by `refresh`. */
export interface SourceDirectory {
  find(secret: string): LiveSource | null;
  refresh(): Promise<void>;
}

/** The secret is compared through its keyed hash only, in constant time: the map's own lookup sees nothing but the hash. */
export async function createSourceDirectory(sql: Sql, keyring: Keyring): Promise<SourceDirectory> {
  let sources = new Map<string, LiveSource>();
  const refresh = async () => {
    const rows = await listSourceSecrets(sql);
    sources = new Map(rows.map((row) => [row.lookupHash.toString('base64'), row]));
  };
  await refresh();
  return {
    find(secret) {
      const hash = lookupHash(keyring, 'source-secret', secret);
      const source = sources.get(hash.toString('base64'));
      return source !== undefined && timingSafeEqual(source.lookupHash, hash) ? source : null;
    },
    refresh,
  };
}
