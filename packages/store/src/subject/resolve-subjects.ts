import type { SubjectType } from '@tidegate/core';
import type { Sql, Transaction } from '../database/connect.ts';

/** Element type: postgres.js would take an array of buffers for one buffer. */
const BYTEA = 17;

export interface SubjectIdentity {
  readonly group: string;
  readonly type: SubjectType;
  readonly fingerprint: { readonly version: number; readonly value: Buffer };
  /** Used only if the subject is new. */
  readonly alias: string;
  /** A tunnel id that may be shown, else null and `sealedId` holds it, bound to `alias`. */
  readonly publicId: string | null;
  readonly sealedId: Buffer | null;
}

export interface KnownSubject {
  readonly id: number;
  readonly alias: string;
}

/**
 * Finds or makes subjects, in the order given; raced by any number of processes, each fingerprint gets one row.
 * Errors pass through untranslated: the caller sorts them with `classifyStoreError`.
 */
export async function resolveSubjects(
  sql: Sql | Transaction,
  subjects: readonly SubjectIdentity[],
): Promise<KnownSubject[]> {
  if (subjects.length === 0) return [];
  const rows = await sql<{ ordinal: number; id: number; alias: string }[]>`
    select ordinal, id, alias from resolve_subjects(
      ${subjects.map((s) => s.group)}::text[], ${subjects.map((s) => s.type)}::text[],
      ${subjects.map((s) => s.fingerprint.version)}::int[], ${sql.array(
        subjects.map((s) => s.fingerprint.value),
        BYTEA,
      )}::bytea[],
      ${subjects.map((s) => s.alias)}::text[], ${subjects.map((s) => s.publicId)}::text[], ${sql.array(
        subjects.map((s) => s.sealedId),
        BYTEA,
      )}::bytea[])
    order by ordinal`;
  return rows.map(({ id, alias }) => ({ id, alias }));
}
