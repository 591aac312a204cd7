import type { Sql } from '../database/connect.ts';
import { toStoreError } from '../database/store-error.ts';
import { listOthers, type SubjectIdentity } from './resolve-subjects.ts';

/** Element type: postgres.js would take an array of buffers for one buffer. */
const BYTEA = 17;

/** For each subject, in order: whether it is known already, under any of its fingerprints. */
export async function findSubjects(
  sql: Sql,
  subjects: readonly Pick<SubjectIdentity, 'fingerprint' | 'otherFingerprints'>[],
): Promise<boolean[]> {
  if (subjects.length === 0) return [];
  const names = [
    ...subjects.map(({ fingerprint }, index) => ({ ...fingerprint, item: index + 1 })),
    ...listOthers(subjects),
  ];
  try {
    const rows = await sql<{ known: boolean }[]>`
      select bool_or(f.subject_id is not null) as known
      from unnest(${names.map((name) => name.item)}::int[], ${names.map((name) => name.version)}::int[], ${sql.array(
        names.map((name) => name.value),
        BYTEA,
      )}::bytea[]) as n(item, version, value)
      left join fingerprint f on f.version = n.version and f.value = n.value
      group by n.item order by n.item`;
    return rows.map((row) => row.known);
  } catch (error) {
    throw toStoreError(error);
  }
}
