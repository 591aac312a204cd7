import { AppError } from '@tidegate/core';
import type { Sql, Transaction } from '../database/connect.ts';
import { inTransaction } from '../database/in-transaction.ts';

export interface SourceConfig {
  readonly name: string;
  readonly group: string;
  readonly timeZone: string;
  readonly watch: 'linked' | 'all';
  /** Keyed hash of the path secret; null where this process has none, and then a live one must be registered already. */
  readonly secretHash: Buffer | null;
}

/**
 * Makes the sources of the config those that it now names: new ones are added, absent ones retired with their secrets, so that
 * none of those is live again when the name comes back. A process that has no secret of its own never takes one away from
 * the others. What the command line added stays; a source that both name is the config's.
 * @throws AppError `source_secret_missing`
 */
export async function applySources(sql: Sql, sources: readonly SourceConfig[]): Promise<void> {
  await inTransaction(sql, async (tx) => {
    await tx`update source set retired_at = clock_timestamp()
             where retired_at is null and origin = 'config' and name <> all(${sources.map((s) => s.name)})`;
    await tx`update source_secret k set retired_at = clock_timestamp() from source s
             where s.id = k.source_id and s.retired_at is not null and k.retired_at is null`;
    for (const source of [...sources].sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const [row] = await tx<{ id: number }[]>`
        insert into source (name, group_name, time_zone, watch, origin)
        values (${source.name}, ${source.group}, ${source.timeZone}, ${source.watch}, 'config')
        on conflict (name) do update set group_name = excluded.group_name, time_zone = excluded.time_zone,
          watch = excluded.watch, origin = 'config', retired_at = null
        returning id`;
      await registerSecret(tx, row?.id ?? 0, source);
    }
  });
}

/** A Localtonet webhook cannot be edited, so the secret before the newest stays live until the next one comes. */
const LIVE_SECRETS = 2;

async function registerSecret(tx: Transaction, sourceId: number, { name, secretHash }: SourceConfig): Promise<void> {
  if (secretHash !== null) {
    await tx`
      insert into source_secret (lookup_hash, source_id, origin) values (${secretHash}, ${sourceId}, 'config')
      on conflict (lookup_hash) do update set source_id = excluded.source_id, origin = 'config', retired_at = null`;
    await tx`update source_secret set origin = 'cli'
             where source_id = ${sourceId} and origin = 'config' and lookup_hash <> ${secretHash}`;
  }
  const live = await tx<{ lookupHash: Buffer }[]>`
    select lookup_hash from source_secret where source_id = ${sourceId} and retired_at is null
    order by (lookup_hash = ${secretHash}) desc nulls last, created_at desc`;
  if (live.length === 0) {
    throw new AppError({
      code: 'source_secret_missing',
      publicMessage: `Source ${name} has no path secret here: set \`secret\` in the config, or copy source-secret-${name} from the first data folder.`,
    });
  }
  for (const { lookupHash } of live.slice(LIVE_SECRETS)) {
    await tx`update source_secret set retired_at = clock_timestamp() where lookup_hash = ${lookupHash}`;
  }
}
