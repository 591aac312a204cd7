import type { Sql } from '../database/connect.ts';
import { toStoreError } from '../database/store-error.ts';

/** Element type: postgres.js would take an array of buffers for one buffer. */
const BYTEA = 17;

/** For each fingerprint, in order: whether that subject is known already. */
export async function findSubjects(
  sql: Sql,
  fingerprints: readonly { version: number; value: Buffer }[],
): Promise<boolean[]> {
  if (fingerprints.length === 0) return [];
  try {
    const rows = await sql<{ known: boolean }[]>`
      select s.id is not null as known
      from unnest(${fingerprints.map((f) => f.version)}::int[], ${sql.array(
        fingerprints.map((f) => f.value),
        BYTEA,
      )}::bytea[])
        with ordinality as i(version, value, ordinal)
      left join subject s on s.fingerprint_version = i.version and s.fingerprint = i.value
      order by i.ordinal`;
    return rows.map((row) => row.known);
  } catch (error) {
    throw toStoreError(error);
  }
}
