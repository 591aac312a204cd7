import { AppError } from '@tidegate/core';
import {
  listForeignDataKeys,
  listStaleSubjects,
  replaceWrapping,
  type StoredSubject,
  saveFingerprints,
} from '@tidegate/store';
import { fingerprintSubject } from '@tidegate/vault';
import { isOpeningFailure, rewrapDataKey } from '@tidegate/vault/open';
import { openSubjectId } from './open-subject-id.ts';
import type { VaultContext } from './with-vault.ts';

/** One stored thing that cannot be opened: by alias or id, with the code and sentence of what is wrong. */
export interface Damage {
  readonly what: string;
  readonly code: string;
  readonly sentence: string;
}

export interface RewrapCounts {
  readonly subjects: number;
  readonly dataKeys: number;
}

export interface RewrapOptions {
  /** How many subjects share a transaction. */
  readonly batch: number;
  /** Opens everything and writes nothing. */
  readonly dryRun: boolean;
  readonly onDamage: (damage: Damage) => void;
  readonly onProgress?: (counts: RewrapCounts) => void;
}

/**
 * Gives every subject the fingerprint of the current key, and wraps every data key to the current recipient. What is done
 * already is left alone, so it may be stopped at any moment and run again. What cannot be opened is told and left as it is.
 * @returns how many of each could be (or would be) renewed
 */
export async function rewrap(vault: VaultContext, options: RewrapOptions): Promise<RewrapCounts> {
  const counts = { subjects: 0, dataKeys: 0 };
  // A broken data key comes before the many subjects that cannot be opened because of it: the cause is told first.
  for await (const done of renewWrappings(vault, options)) {
    counts.dataKeys += done;
    options.onProgress?.(counts);
  }
  for await (const done of renewFingerprints(vault, options)) {
    counts.subjects += done;
    options.onProgress?.(counts);
  }
  return counts;
}

async function* renewFingerprints(vault: VaultContext, { batch, dryRun, onDamage }: RewrapOptions) {
  const version = vault.keyring.fingerprint.current;
  for (let afterId = 0; ; ) {
    const subjects = await listStaleSubjects(vault.sql, version, afterId, batch);
    const last = subjects.at(-1);
    if (last === undefined) return;
    afterId = last.id;
    const renewed = [];
    for (const subject of subjects) {
      const value = await tolerate(subject.alias, onDamage, () => fingerprintAnew(vault, subject));
      if (value !== null) renewed.push({ subjectId: subject.id, version, value });
    }
    if (!dryRun) await saveFingerprints(vault.sql, renewed);
    await vault.countOpenings();
    yield renewed.length;
  }
}

async function fingerprintAnew(vault: VaultContext, subject: StoredSubject): Promise<Buffer> {
  const { group, type } = subject;
  return fingerprintSubject(vault.keyring, { group, type, id: await openSubjectId(vault, subject) }).value;
}

async function* renewWrappings(vault: VaultContext, { batch, dryRun, onDamage }: RewrapOptions) {
  const { sql, keyring, opening } = vault;
  for (let afterId: string | null = null; ; ) {
    const rows: Awaited<ReturnType<typeof listForeignDataKeys>> = await listForeignDataKeys(
      sql,
      keyring.recipient.id,
      afterId,
      batch,
    );
    const last = rows.at(-1);
    if (last === undefined) return;
    afterId = last.id;
    let renewed = 0;
    for (const row of rows) {
      const moved = await tolerate(`data key ${row.id}`, onDamage, () =>
        rewrapDataKey(opening, keyring.recipient, row),
      );
      if (moved === null) continue;
      if (!dryRun) await replaceWrapping(sql, moved, row.wrapped);
      renewed += 1;
    }
    yield renewed;
  }
}

async function tolerate<T>(
  what: string,
  onDamage: RewrapOptions['onDamage'],
  work: () => Promise<T>,
): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (!isOpeningFailure(error) && !(error instanceof AppError && OURS.has(error.code))) throw error;
    onDamage({ what, code: error.code, sentence: error.publicMessage });
    return null;
  }
}

const OURS = new Set(['subject_mismatch', 'fingerprint_key_missing']);
