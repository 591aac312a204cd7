import type { Sql } from '../database/connect.ts';
import { toStoreError } from '../database/store-error.ts';

/** A live source as it is shown: never a secret, nor its hash. */
export interface SourceRow {
  readonly name: string;
  readonly group: string;
  readonly timeZone: string;
  readonly watch: 'linked' | 'all';
  /** `config`: kept by the config; `cli`: added by a person. */
  readonly origin: 'config' | 'cli';
  readonly createdAt: Date;
  readonly lastSeenAt: Date | null;
  /** What its first delivery looked like, without a value; null before one. */
  readonly firstReport: Readonly<Record<string, unknown>> | null;
  /** The same of the first that was not understood, with what was wrong; null while all were. */
  readonly firstRejection: Readonly<Record<string, unknown>> | null;
  /** Deliveries by outcome. */
  readonly counters: Readonly<Record<string, number>>;
  /** Its live secrets, newest first. */
  readonly secrets: readonly { readonly origin: 'config' | 'cli'; readonly createdAt: string }[];
}

/** Every live source, by name. */
export async function listSources(sql: Sql): Promise<SourceRow[]> {
  try {
    return await sql<SourceRow[]>`
      select s.name, s.group_name as group, s.time_zone, s.watch, s.origin, s.created_at, s.last_seen_at, s.first_report, s.first_rejection,
        (select coalesce(jsonb_object_agg(c.outcome, c.count), '{}') from source_counter c where c.source_id = s.id) as counters,
        (select coalesce(jsonb_agg(jsonb_build_object('origin', k.origin, 'createdAt', k.created_at) order by k.created_at desc), '[]')
          from source_secret k where k.source_id = s.id and k.retired_at is null) as secrets
      from source s where s.retired_at is null order by s.name`;
  } catch (error) {
    throw toStoreError(error);
  }
}

/** Whether a keyed hash is that of a live secret of this source. */
export async function isLiveSecret(sql: Sql, name: string, secretHash: Buffer): Promise<boolean> {
  try {
    const rows = await sql`
      select 1 from source_secret k join source s on s.id = k.source_id
      where s.name = ${name} and s.retired_at is null and k.retired_at is null and k.lookup_hash = ${secretHash}`;
    return rows.length > 0;
  } catch (error) {
    throw toStoreError(error);
  }
}
