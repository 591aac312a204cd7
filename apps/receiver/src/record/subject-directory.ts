import { publicTunnelId, type SubjectType } from '@tidegate/core';
import { resolveSubjects, type Sql, toStoreError } from '@tidegate/store';
import { fingerprintSubject, identifySubject, type Keyring, type Sealer, type SubjectName } from '@tidegate/vault';
import type { DataKeys } from '../spool/data-keys.ts';

const MAX_CACHED = 200_000;

/** A subject as a delivery names it. */
export interface NamedSubject {
  readonly group: string;
  readonly type: SubjectType;
  /** The raw id: a credential when the type is device. Lives no longer than the request. */
  readonly id: string;
  /** Null for a public tunnel id, which may be remembered as it is: then it is worked out only when not known yet. */
  readonly fingerprint: Fingerprint | null;
  readonly cacheKey: string;
}

type Fingerprint = ReturnType<typeof fingerprintSubject>;

/** Names a subject so that it can be looked up in memory without its id being kept there, unless the id is public. */
export function nameSubject(keyring: Keyring, subject: SubjectName): NamedSubject {
  const { group, type, id } = subject;
  if (publicTunnelId(type, id) !== null) return { group, type, id, fingerprint: null, cacheKey: `id ${id} ${group}` };
  const fingerprint = fingerprintSubject(keyring, subject);
  const cacheKey = `fp ${fingerprint.version} ${fingerprint.value.toString('latin1')}`;
  return { group, type, id, fingerprint, cacheKey };
}

/** Turns fingerprints into subject ids: from memory when seen before, else by one statement per batch. */
export interface SubjectDirectory {
  /** One subject id per item, in order. */
  resolve(subjects: readonly NamedSubject[]): Promise<number[]>;
}

/** What naming a subject takes. The store must have a data key before a row that is sealed under it. */
export interface SubjectNaming {
  readonly keyring: Keyring;
  readonly sealer: Sealer;
  readonly dataKeys: Pick<DataKeys, 'owes' | 'settle'>;
}

export function createSubjectDirectory(sql: Sql, { keyring, sealer, dataKeys }: SubjectNaming): SubjectDirectory {
  const known = new Map<string, number>();

  async function learn(subjects: readonly NamedSubject[]): Promise<void> {
    await sealer.ready();
    const identities = subjects.map((subject) =>
      identifySubject({ keyring, sealer }, subject, subject.fingerprint ?? undefined),
    );
    if (dataKeys.owes()) await dataKeys.settle();
    try {
      const found = await resolveSubjects(sql, identities);
      for (const [index, row] of found.entries()) known.set(subjects[index]?.cacheKey ?? '', row.id);
    } catch (error) {
      throw toStoreError(error);
    }
  }

  return {
    async resolve(subjects) {
      const unknown = new Map<string, NamedSubject>();
      for (const subject of subjects) if (!known.has(subject.cacheKey)) unknown.set(subject.cacheKey, subject);
      if (unknown.size > 0) await learn([...unknown.values()]);
      const ids = subjects.map((subject) => known.get(subject.cacheKey) ?? missing());
      trim(known);
      return ids;
    },
  };
}

function missing(): never {
  throw new Error('a subject that was resolved has an id');
}

/** Oldest first: ids never change, so forgetting one costs a statement and nothing else. */
function trim(known: Map<string, number>): void {
  for (const key of known.keys()) {
    if (known.size <= MAX_CACHED) return;
    known.delete(key);
  }
}
