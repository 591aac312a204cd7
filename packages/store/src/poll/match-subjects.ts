import type { Sql } from '../database/connect.ts';
import { toStoreError } from '../database/store-error.ts';
import { listOthers, type SubjectIdentity } from '../subject/resolve-subjects.ts';

/** Element type: postgres.js would take an array of buffers for one buffer. */
const BYTEA = 17;

/** A subject that is known, with what topology holds of it. */
export interface MatchedSubject {
  readonly id: number;
  readonly name: string | null;
  /** Of a tunnel: the row id of its device. */
  readonly deviceId: number | null;
  readonly linked: boolean;
}

/** For each subject, in order: its row, found under any of its fingerprints; null when it is not known. */
export async function matchSubjects(
  sql: Sql,
  subjects: readonly Pick<SubjectIdentity, 'fingerprint' | 'otherFingerprints'>[],
): Promise<(MatchedSubject | null)[]> {
  if (subjects.length === 0) return [];
  const names = [
    ...subjects.map(({ fingerprint }, index) => ({ ...fingerprint, item: index + 1 })),
    ...listOthers(subjects),
  ];
  const matched: (MatchedSubject | null)[] = subjects.map(() => null);
  try {
    const rows = await sql<(MatchedSubject & { item: number })[]>`
      select distinct on (n.item) n.item, s.id, s.name, s.device_id, s.linked_at is not null as linked
      from unnest(${names.map((name) => name.item)}::int[], ${names.map((name) => name.version)}::int[], ${sql.array(
        names.map((name) => name.value),
        BYTEA,
      )}::bytea[]) as n(item, version, value)
      join fingerprint f on f.version = n.version and f.value = n.value join subject s on s.id = f.subject_id
      order by n.item, s.id`;
    for (const { item, ...subject } of rows) matched[item - 1] = subject;
    return matched;
  } catch (error) {
    throw toStoreError(error);
  }
}
