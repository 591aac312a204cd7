import { AppError } from '@tidegate/core';
import type { StoredSubject } from '@tidegate/store';
import { fingerprintSubject } from '@tidegate/vault';
import type { VaultContext } from './with-vault.ts';

/**
 * The id of a subject as Localtonet knows it. It is believed only if it gives the fingerprint that is stored beside it: else a
 * row was changed or swapped.
 * @throws AppError `subject_mismatch`, `fingerprint_key_missing`, or what the opener throws
 */
export async function openSubjectId(
  { keyring, opener }: Pick<VaultContext, 'keyring' | 'opener'>,
  subject: StoredSubject,
): Promise<string> {
  const { group, type, alias, publicId, sealedId, fingerprintVersion } = subject;
  if (publicId === null && sealedId === null) throw mismatch();
  const id =
    publicId ?? (await opener.open(sealedId ?? Buffer.alloc(0), { row: alias, purpose: 'subject-id' })).toString();
  if (!keyring.fingerprint.keys.has(fingerprintVersion)) throw keyMissing();
  const stored = fingerprintSubject(keyring, { group, type, id }, fingerprintVersion);
  if (!stored.value.equals(subject.fingerprint)) throw mismatch();
  return id;
}

function mismatch(): AppError {
  return new AppError({
    code: 'subject_mismatch',
    publicMessage: 'The id that is stored does not give the fingerprint beside it: the row was changed or swapped.',
  });
}

function keyMissing(): AppError {
  return new AppError({
    code: 'fingerprint_key_missing',
    publicMessage: 'The keyring lacks the key that its fingerprint was made under.',
  });
}
