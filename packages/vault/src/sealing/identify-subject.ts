import { publicTunnelId } from '@tidegate/core';
import type { Keyring } from '../keyring/keyring.ts';
import { fingerprintSubject, type SubjectName } from '../naming/fingerprint-subject.ts';
import { otherFingerprints } from '../naming/fingerprint-versions.ts';
import { newAlias } from '../naming/new-id.ts';
import type { Sealer } from './sealer.ts';

/**
 * A subject as it may be looked up and kept: by its fingerprints, with its id in the open only when that is public. The
 * sealer must be ready.
 * @param fingerprint under the current key, when it was worked out before
 */
export function identifySubject(
  { keyring, sealer }: { readonly keyring: Keyring; readonly sealer: Sealer },
  subject: SubjectName,
  fingerprint = fingerprintSubject(keyring, subject),
) {
  const { group, type, id } = subject;
  const alias = newAlias(type === 'device' ? 'dev' : 'tun');
  const publicId = publicTunnelId(type, id);
  const sealedId = publicId === null ? sealer.seal(id, { row: alias, purpose: 'subject-id' }) : null;
  const others = otherFingerprints(keyring, subject, fingerprint.version);
  return { group, type, fingerprint, otherFingerprints: others, alias, publicId, sealedId };
}
