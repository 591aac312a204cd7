import { publicTunnelId, type SubjectType } from '@tidegate/core';
import { resolveSubjects, type Sql, type SubjectIdentity, toStoreError } from '@tidegate/store';
import type { Sealer } from '@tidegate/vault';
import { newAlias } from '@tidegate/vault';

const MAX_CACHED = 200_000;

/** A subject as a delivery names it, with its fingerprint worked out. */
export interface NamedSubject {
  readonly group: string;
  readonly type: SubjectType;
  /** The raw id: a credential when the type is device. Lives no longer than the request. */
  readonly id: string;
  readonly fingerprint: { readonly version: number; readonly value: Buffer };
  readonly cacheKey: string;
}

/** Turns fingerprints into subject ids: from memory when seen before, else by one statement per batch. */
export interface SubjectDirectory {
  /** One subject id per item, in order. */
  resolve(subjects: readonly NamedSubject[]): Promise<number[]>;
}

export function createSubjectDirectory(sql: Sql, sealer: Sealer): SubjectDirectory {
  const known = new Map<string, number>();
  return {
    async resolve(subjects) {
      const unknown = new Map<string, NamedSubject>();
      for (const subject of subjects) if (!known.has(subject.cacheKey)) unknown.set(subject.cacheKey, subject);
      if (unknown.size > 0) await learn(sql, sealer, known, [...unknown.values()]);
      const ids = subjects.map((subject) => known.get(subject.cacheKey) ?? 0);
      trim(known);
      return ids;
    },
  };
}

async function learn(
  sql: Sql,
  sealer: Sealer,
  known: Map<string, number>,
  subjects: readonly NamedSubject[],
): Promise<void> {
  await sealer.ready();
  const identities = subjects.map((subject) => identify(sealer, subject));
  try {
    const found = await resolveSubjects(sql, identities);
    for (const [index, row] of found.entries()) known.set(subjects[index]?.cacheKey ?? '', row.id);
  } catch (error) {
    throw toStoreError(error);
  }
}

function identify(sealer: Sealer, { group, type, id, fingerprint }: NamedSubject): SubjectIdentity {
  const alias = newAlias(type === 'device' ? 'dev' : 'tun');
  const publicId = publicTunnelId(type, id);
  const sealedId = publicId === null ? sealer.seal(id, { row: alias, purpose: 'subject-id' }) : null;
  return { group, type, fingerprint, alias, publicId, sealedId };
}

/** Oldest first: ids never change, so forgetting one costs a statement and nothing else. */
function trim(known: Map<string, number>): void {
  for (const key of known.keys()) {
    if (known.size <= MAX_CACHED) return;
    known.delete(key);
  }
}
