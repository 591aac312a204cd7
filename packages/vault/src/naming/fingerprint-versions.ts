import type { Keyring } from '../keyring/keyring.ts';
import { fingerprintSubject, type SubjectName } from './fingerprint-subject.ts';

export interface Fingerprint {
  readonly version: number;
  readonly value: Buffer;
}

/**
 * A subject's fingerprint under the current key, and under every other one that is live. A subject is looked up under all
 * of them, so that it is found, not doubled, while a rotation is under way and processes hold different keys.
 */
export function fingerprintVersions(
  keyring: Keyring,
  subject: SubjectName,
): { readonly fingerprint: Fingerprint; readonly otherFingerprints: readonly Fingerprint[] } {
  const fingerprint = fingerprintSubject(keyring, subject);
  return { fingerprint, otherFingerprints: otherFingerprints(keyring, subject, fingerprint.version) };
}

/** The fingerprints of a subject under every live key but one. */
export function otherFingerprints(keyring: Keyring, subject: SubjectName, but: number): readonly Fingerprint[] {
  const versions = [...keyring.fingerprint.keys.keys()].filter((version) => version !== but);
  return versions.map((version) => fingerprintSubject(keyring, subject, version));
}
