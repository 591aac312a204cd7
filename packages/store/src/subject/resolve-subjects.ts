import type { SubjectType } from '@tidegate/core';
import type { Sql, Transaction } from '../database/connect.ts';

/** Element type: postgres.js would take an array of buffers for one buffer. */
const BYTEA = 17;

export interface Fingerprint {
  readonly version: number;
  readonly value: Buffer;
}

export interface SubjectIdentity {
  readonly group: string;
  readonly type: SubjectType;
  /** Under the current key. */
  readonly fingerprint: Fingerprint;
  /** Under every other live key; absent when there is one key only. A subject is found by any of them. */
  readonly otherFingerprints?: readonly Fingerprint[];
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
 * Finds or makes subjects, in the order given; raced by any number of processes, also while a key is rotated and they hold
 * different keys, each subject gets one row. A known one gets the fingerprints it lacks.
 * Errors pass through untranslated: the caller sorts them with `classifyStoreError`.
 */
export async function resolveSubjects(
  sql: Sql | Transaction,
  subjects: readonly SubjectIdentity[],
): Promise<KnownSubject[]> {
  if (subjects.length === 0) return [];
  const others = listOthers(subjects);
  const rows = await sql<{ ordinal: number; id: number; alias: string }[]>`
    select ordinal, id, alias from resolve_subjects(
      ${subjects.map((s) => s.group)}::text[], ${subjects.map((s) => s.type)}::text[],
      ${subjects.map((s) => s.fingerprint.version)}::int[], ${bytes(
        sql,
        subjects.map((s) => s.fingerprint.value),
      )}::bytea[],
      ${subjects.map((s) => s.alias)}::text[], ${subjects.map((s) => s.publicId)}::text[], ${bytes(
        sql,
        subjects.map((s) => s.sealedId),
      )}::bytea[],
      ${others.map((o) => o.item)}::int[], ${others.map((o) => o.version)}::int[], ${bytes(
        sql,
        others.map((o) => o.value),
      )}::bytea[])
    order by ordinal`;
  return rows.map(({ id, alias }) => ({ id, alias }));
}

/** The fingerprints beside the current ones, each with the place of its subject, counted from 1 as Postgres does. */
export function listOthers(
  subjects: readonly Pick<SubjectIdentity, 'otherFingerprints'>[],
): (Fingerprint & { readonly item: number })[] {
  return subjects.flatMap(({ otherFingerprints = [] }, index) =>
    otherFingerprints.map((fingerprint) => ({ ...fingerprint, item: index + 1 })),
  );
}

function bytes(sql: Sql | Transaction, values: readonly (Buffer | null)[]) {
  return sql.array([...values], BYTEA);
}
