import { connect } from '../database/connect.ts';
import { appliedMigrations, knownMigrations } from '../database/list-migrations.ts';
import { OLDEST_SERVER } from '../database/migrate.ts';
import { toStoreError } from '../database/store-error.ts';
import { readKeyringId } from '../installation/read-keyring-id.ts';

/** What of a database decides whether it can be relied on. */
export interface StoreInspection {
  /** As the server names itself, such as `17.2`. */
  readonly version: string;
  readonly tooOld: boolean;
  /** A standby, which would answer gates from the past. */
  readonly standby: boolean;
  /** Settings that promises rest on and that are off; `synchronous_commit` is asked for by every connection of ours. */
  readonly unsafeSettings: readonly string[];
  /** How many migrations of this code the database lacks, and how many it has that this code does not know. */
  readonly migrations: { readonly missing: number; readonly unknown: number };
  /** The keyring it belongs to; null before any. */
  readonly keyringId: string | null;
  /** How far its clock is ahead of the one it was asked with, in milliseconds, and by how much that may be wrong. */
  readonly aheadMs: number;
  readonly withinMs: number;
}

/**
 * Looks at a database and changes nothing.
 * @param now wall clock in milliseconds
 * @throws AppError of `toStoreError`
 */
export async function inspectStore(url: string, now: () => number): Promise<StoreInspection> {
  const sql = connect(url, { application: 'doctor', connections: 1 });
  try {
    // The first statement also connects, which would be taken for distance.
    await sql`select 1`;
    const askedAtMs = now();
    const [row] = await sql<(Asked & { at: number })[]>`
      select extract(epoch from clock_timestamp()) * 1000 as at, current_setting('server_version') as version,
        current_setting('server_version_num')::int as number, pg_is_in_recovery() as standby,
        array_remove(array[case when current_setting('fsync') = 'off' then 'fsync' end,
          case when current_setting('full_page_writes') = 'off' then 'full_page_writes' end], null) as unsafe`;
    if (row === undefined) throw new Error('a select without from answered no row');
    const halfMs = (now() - askedAtMs) / 2;
    const [known, applied] = [await knownMigrations(), await appliedMigrations(sql)];
    return {
      version: row.version.split(' ')[0] ?? row.version,
      tooOld: row.number < OLDEST_SERVER,
      standby: row.standby,
      unsafeSettings: row.unsafe,
      migrations: {
        missing: known.filter((one) => !applied.includes(one)).length,
        unknown: applied.filter((one) => !known.includes(one)).length,
      },
      keyringId: await readKeyringId(sql),
      aheadMs: Math.round(row.at - askedAtMs - halfMs),
      withinMs: Math.ceil(halfMs),
    };
  } catch (error) {
    throw toStoreError(error);
  } finally {
    await sql.end({ timeout: 3 });
  }
}

interface Asked {
  readonly version: string;
  readonly number: number;
  readonly standby: boolean;
  readonly unsafe: string[];
}
