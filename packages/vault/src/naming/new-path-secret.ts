import { randomBytes } from 'node:crypto';
import { encodeBase32 } from './encode-base32.ts';

const SECRET_BYTES = 25;
const SIGNING_BYTES = 24;

/**
 * A new secret for a source's webhook path: 40 lower-case base32 characters (200 bits), safe in a URL as they stand.
 */
export function newPathSecret(): string {
  return encodeBase32(randomBytes(SECRET_BYTES));
}

/** A new API key: `tdg_` and 40 lower-case base32 characters (200 bits). */
export function newApiKey(): string {
  return `tdg_${encodeBase32(randomBytes(SECRET_BYTES))}`;
}

/** A new Standard Webhooks signing secret: `whsec_` and 24 random bytes in base64, as its specification recommends. */
export function newSigningSecret(): string {
  return `whsec_${randomBytes(SIGNING_BYTES).toString('base64')}`;
}
