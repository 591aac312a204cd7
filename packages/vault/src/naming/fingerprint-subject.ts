import { createHmac } from 'node:crypto';
import { AppError, type SubjectType } from '@tidegate/core';
import type { Keyring } from '../keyring/keyring.ts';
import { encodeFields } from './encode-fields.ts';

/** A subject as Localtonet names it; `id` is a credential when `type` is `device`. */
export interface SubjectName {
  readonly group: string;
  readonly type: SubjectType;
  readonly id: string;
}

/**
 * The keyed fingerprint (HMAC-SHA-256, 32 bytes) by which a subject is found again without its id being stored (DESIGN
 * §4). `version` asks for an older key that the keyring still holds, to find subjects recorded before a rotation.
 * @throws AppError `fingerprint_key_missing` when the keyring does not hold that version.
 */
export function fingerprintSubject(
  keyring: Keyring,
  subject: SubjectName,
  version: number = keyring.fingerprint.current,
): { version: number; value: Buffer } {
  const key = keyring.fingerprint.keys.get(version);
  if (key === undefined) {
    throw new AppError({
      code: 'fingerprint_key_missing',
      publicMessage: `The keyring holds no fingerprint key of version ${version}.`,
    });
  }
  // As text and back: that lands in Buffer's pool, while digest() would allocate outside the heap each time.
  const digest = createHmac('sha256', key)
    .update(encodeFields([subject.group, subject.type, subject.id]))
    .digest('binary');
  return { version, value: Buffer.from(digest, 'binary') };
}
