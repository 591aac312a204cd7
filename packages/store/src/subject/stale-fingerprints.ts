import { AppError, type SubjectType } from '@tidegate/core';
import type { Sql } from '../database/connect.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { toStoreError } from '../database/store-error.ts';
import type { Fingerprint } from './resolve-subjects.ts';
import { STAND_IN_VERSION } from './stand-in-version.ts';

/** Element type: postgres.js would take an array of buffers for one buffer. */
const BYTEA = 17;

/** A subject as the vault commands need it: with what its id can be had from. */
export interface StoredSubject {
  readonly id: number;
  readonly alias: string;
  readonly type: SubjectType;
  readonly group: string;
  readonly name: string | null;
  /** One of the two is null; both are of a stand-in, which has no id. */
  readonly publicId: string | null;
  readonly sealedId: Buffer | null;
  readonly fingerprintVersion: number;
  readonly fingerprint: Buffer;
  /** Whether it only stands for a service whose device nobody has told us of. */
  readonly standIn: boolean;
}

/** Subjects after a row id that lack the fingerprint of a version, or do not carry it as their newest, by row id. */
export async function listStaleSubjects(
  sql: Sql,
  version: number,
  afterId: number,
  limit: number,
): Promise<StoredSubject[]> {
  try {
    return await sql<StoredSubject[]>`
      select ${storedColumns(sql)} from subject s where s.id > ${afterId} and ${isStale(sql, version)} order by s.id limit ${limit}`;
  } catch (error) {
    throw toStoreError(error);
  }
}

/** The subject of an alias, or null. */
export async function findStoredSubject(sql: Sql, alias: string): Promise<StoredSubject | null> {
  try {
    const [row] = await sql<StoredSubject[]>`select ${storedColumns(sql)} from subject s where s.alias = ${alias}`;
    return row ?? null;
  } catch (error) {
    throw toStoreError(error);
  }
}

/**
 * Gives subjects the fingerprint of a version and makes it their newest, all of them or none.
 * @throws AppError `fingerprint_taken` when one of them is another subject's already
 */
export async function saveFingerprints(
  sql: Sql,
  fingerprints: readonly (Fingerprint & { readonly subjectId: number })[],
): Promise<void> {
  const ids = fingerprints.map(({ subjectId }) => subjectId);
  const versions = fingerprints.map(({ version }) => version);
  const values = fingerprints.map(({ value }) => value);
  await inTransaction(sql, async (tx) => {
    const given = () =>
      tx`unnest(${ids}::bigint[], ${versions}::int[], ${tx.array(values, BYTEA)}::bytea[]) as i(id, version, value)`;
    await tx`select 1 from subject where id = any(${ids}::bigint[]) order by id for no key update`;
    await tx`insert into fingerprint (version, value, subject_id) select i.version, i.value, i.id from ${given()}
             order by i.version, i.value on conflict (version, value) do nothing`;
    const [taken] = await tx`select 1 from ${given()} join fingerprint f on f.version = i.version and f.value = i.value
                             where f.subject_id <> i.id limit 1`;
    if (taken !== undefined) throw fingerprintTaken();
    await tx`update subject s set fingerprint_version = i.version, fingerprint = i.value from ${given()}
             where s.id = i.id and s.fingerprint_version <> i.version`;
  });
}

/** Removes fingerprints of versions whose key is no longer live, up to `limit`; those of stand-ins have none. @returns how many */
export async function dropDeadFingerprints(sql: Sql, live: readonly number[], limit: number): Promise<number> {
  try {
    const dropped = await sql`
      delete from fingerprint where (version, value) in (
        select version, value from fingerprint where version <> all(${[STAND_IN_VERSION, ...live]}::int[]) order by version, value limit ${limit})`;
    return dropped.count;
  } catch (error) {
    throw toStoreError(error);
  }
}

export interface FingerprintCount {
  /** Stand-ins are not counted, here or below. */
  readonly subjects: number;
  /** Subjects that lack the fingerprint of the version asked for. */
  readonly stale: number;
  readonly byVersion: readonly { readonly version: number; readonly count: number }[];
}

export async function countFingerprints(sql: Sql, version: number): Promise<FingerprintCount> {
  try {
    const [row] = await sql<FingerprintCount[]>`
      select (select count(*)::int from subject where fingerprint_version <> ${STAND_IN_VERSION}) as subjects, (select count(*)::int from subject s where ${isStale(sql, version)}) as stale,
        (select coalesce(json_agg(json_build_object('version', v.version, 'count', v.count) order by v.version), '[]')
          from (select version, count(*)::int as count from fingerprint where version <> ${STAND_IN_VERSION} group by version) v) as by_version`;
    if (row === undefined) throw new Error('a select without from answered no row');
    return row;
  } catch (error) {
    throw toStoreError(error);
  }
}

function storedColumns(sql: Sql) {
  return sql`s.id, s.alias, s.type, s.group_name as group, s.name, s.public_id, s.sealed_id, s.fingerprint_version, s.fingerprint,
    s.fingerprint_version = ${STAND_IN_VERSION} as stand_in`;
}

function isStale(sql: Sql, version: number) {
  return sql`(s.fingerprint_version <> ${STAND_IN_VERSION} and (s.fingerprint_version <> ${version}
    or not exists (select 1 from fingerprint f where f.subject_id = s.id and f.version = ${version})))`;
}

function fingerprintTaken(): AppError {
  return new AppError({
    code: 'fingerprint_taken',
    publicMessage: 'Two subjects have the same fingerprint, so one of their rows was changed by hand.',
  });
}
