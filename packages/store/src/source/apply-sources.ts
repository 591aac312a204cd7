import type { Sql } from '../database/connect.ts';
import { toStoreError } from '../database/store-error.ts';

export interface SourceConfig {
  readonly name: string;
  readonly group: string;
  readonly timeZone: string;
  readonly watch: 'linked' | 'all';
  /** Keyed hash of the path secret. */
  readonly secretHash: Buffer;
}

/** Makes the registered sources those of the config: new ones are added, absent ones retired with their secrets. */
export async function applySources(sql: Sql, sources: readonly SourceConfig[]): Promise<void> {
  try {
    await sql.begin(async (tx) => {
      await tx`update source set retired_at = clock_timestamp() where retired_at is null and name <> all(${sources.map((s) => s.name)})`;
      for (const source of [...sources].sort((a, b) => (a.name < b.name ? -1 : 1))) {
        const [row] = await tx<{ id: number }[]>`
          insert into source (name, group_name, time_zone, watch)
          values (${source.name}, ${source.group}, ${source.timeZone}, ${source.watch})
          on conflict (name) do update set group_name = excluded.group_name, time_zone = excluded.time_zone,
            watch = excluded.watch, retired_at = null
          returning id`;
        await tx`
          insert into source_secret (lookup_hash, source_id) values (${source.secretHash}, ${row?.id ?? 0})
          on conflict (lookup_hash) do update set source_id = excluded.source_id, retired_at = null`;
        await tx`update source_secret set retired_at = clock_timestamp()
                 where source_id = ${row?.id ?? 0} and lookup_hash <> ${source.secretHash} and retired_at is null`;
      }
    });
  } catch (error) {
    throw toStoreError(error);
  }
}
