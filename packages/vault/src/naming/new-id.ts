import { encodeBase32 } from './encode-base32.ts';
import { takeRandomBytes } from './take-random-bytes.ts';

const ID_BYTES = 15;
const ALIAS_BYTES = 10;

/** A random public id such as `inc_…`: the prefix and 24 lower-case base32 characters (120 bits). */
export function newId(prefix: string): string {
  return `${prefix}_${encodeBase32(takeRandomBytes(ID_BYTES))}`;
}

/**
 * A random alias of a subject, `dev_…` or `tun_…`, with 16 base32 characters (80 bits): random, so that it says nothing
 * of the token.
 */
export function newAlias(prefix: 'dev' | 'tun'): string {
  return `${prefix}_${encodeBase32(takeRandomBytes(ALIAS_BYTES))}`;
}
