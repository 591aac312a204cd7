import { createHash } from 'node:crypto';
import { encodeBase32 } from '../naming/encode-base32.ts';

const ID_BYTES = 10;

/** The public id of a sealing key, `rk_…`: derived from the public key, so a file cannot claim another key's id. */
export function recipientKeyId(publicKey: Uint8Array): string {
  const digest = createHash('sha256').update('tidegate recipient 1').update(publicKey).digest();
  return `rk_${encodeBase32(digest.subarray(0, ID_BYTES))}`;
}
