import { timingSafeEqual } from 'node:crypto';
import { type LiveSource, listSourceSecrets, type Sql } from '@tidegate/store';
import { type Keyring, lookupHash } from '@tidegate/vault';

/** Finds the source a path secret stands for, from memory; kept current by `refresh`. */
export interface SourceDirectory {
  find(secret: string): LiveSource | null;
  refresh(): Promise<void>;
}

/** Beyond this many, comparing with each would cost more than the hash it saves. */
const MOST_PROVEN = 8;

export interface SourceMemory {
  /** What to begin with while the store is away; asked of the store unless given. */
  readonly remembered?: readonly LiveSource[] | null;
  /** Told what the store gave, each time. */
  readonly save?: (sources: readonly LiveSource[]) => Promise<void>;
}

interface Proven {
  readonly secret: Buffer;
  readonly source: LiveSource;
}

/**
 * The secret is compared in constant time: through its keyed hash, so that the map's own lookup sees nothing but the hash, or
 * with a secret whose hash was found since the last refresh.
 */
export async function createSourceDirectory(
  sql: Sql,
  keyring: Keyring,
  memory: SourceMemory = {},
): Promise<SourceDirectory> {
  let sources = new Map<string, LiveSource>();
  let proven: Proven[] = [];
  const take = (rows: readonly LiveSource[]) => {
    sources = new Map(rows.map((row) => [row.lookupHash.toString('base64'), row]));
    proven = [];
  };
  const refresh = async () => {
    const rows = await listSourceSecrets(sql);
    take(rows);
    await memory.save?.(rows);
  };
  const findByHash = (secret: string) => {
    const hash = lookupHash(keyring, 'source-secret', secret);
    const source = sources.get(hash.toString('base64'));
    return source !== undefined && timingSafeEqual(source.lookupHash, hash) ? source : null;
  };
  if (memory.remembered) take(memory.remembered);
  else await refresh();
  return {
    find(secret) {
      const bytes = Buffer.from(secret);
      for (const known of proven) {
        if (known.secret.length === bytes.length && timingSafeEqual(known.secret, bytes)) return known.source;
      }
      const source = findByHash(secret);
      if (source !== null && proven.length < MOST_PROVEN) proven.push({ secret: bytes, source });
      return source;
    },
    refresh,
  };
}
