import { createHmac } from 'node:crypto';
import type { Keyring, LookupPurpose } from '../keyring/keyring.ts';
import { isWellFormed } from './is-well-formed.ts';

/**
 * The keyed hash (HMAC-SHA-256, 32 bytes) by which a secret or a payload is compared without being stored. Each purpose
 * has a key of its own, so equal values of two purposes cannot be linked. A text and its UTF-8 bytes hash alike; a text
 * that UTF-8 cannot carry is hashed by its code units under yet another key, so it never collides.
 */
export function lookupHash(keyring: Keyring, purpose: LookupPurpose, value: string | Uint8Array): Buffer {
  const keys = keyring.lookup[purpose];
  if (typeof value !== 'string') return createHmac('sha256', keys.bytes).update(value).digest();
  if (isWellFormed(value)) return createHmac('sha256', keys.bytes).update(value, 'utf8').digest();
  return createHmac('sha256', keys.codeUnits).update(Buffer.from(value, 'utf16le')).digest();
}
