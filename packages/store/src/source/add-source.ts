import type { SafeName, SignAudit } from '@tidegate/core';
import { type Audited, inAuditedTransaction } from '../audit/in-audited-transaction.ts';
import type { Sql } from '../database/connect.ts';

/** A source to be added by a person. */
export interface NewSource {
  readonly name: string;
  readonly group: string;
  readonly timeZone: string;
  readonly watch: 'linked' | 'all';
  /** Keyed hash of the path secret. */
  readonly secretHash: Buffer;
  readonly actor: SafeName;
}

export type AddedSource =
  | { readonly kind: 'added' }
  /** One of that name is live; `origin` says who keeps it. */
  | { readonly kind: 'exists'; readonly origin: 'config' | 'cli' };

/** Adds a source that the config does not name, with its audit row. One that was removed comes back under a new secret. */
export async function addSource(sql: Sql, source: NewSource, sign: SignAudit): Promise<Audited<AddedSource>> {
  return inAuditedTransaction<AddedSource>(sql, sign, async (tx) => {
    const { name, group, timeZone, watch, secretHash, actor } = source;
    const [row] = await tx<{ id: number }[]>`
      insert into source as s (name, group_name, time_zone, watch, origin) values (${name}, ${group}, ${timeZone}, ${watch}, 'cli')
      on conflict (name) do update set group_name = excluded.group_name, time_zone = excluded.time_zone, watch = excluded.watch,
        origin = 'cli', retired_at = null
      where s.retired_at is not null
      returning id`;
    if (row === undefined) {
      const [live] = await tx<{ origin: 'config' | 'cli' }[]>`select origin from source where name = ${name}`;
      return { outcome: { kind: 'exists', origin: live?.origin ?? 'cli' }, entry: null };
    }
    await tx`update source_secret set retired_at = clock_timestamp() where source_id = ${row.id} and retired_at is null`;
    await tx`insert into source_secret (lookup_hash, source_id, origin) values (${secretHash}, ${row.id}, 'cli')`;
    const entry = {
      actor,
      action: 'source.add',
      target: name,
      reason: null,
      facts: { group, timeZone, watch },
    } as const;
    return { outcome: { kind: 'added' }, entry };
  });
}
