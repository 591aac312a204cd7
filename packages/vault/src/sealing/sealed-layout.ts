import { encodeFields } from '../naming/encode-fields.ts';

/** What a sealed value is; part of what its seal covers. */
export type SealPurpose =
  | 'subject-id'
  | 'action-date'
  | 'quarantined-body'
  | 'callback-url'
  | 'callback-headers'
  | 'callback-body'
  | 'callback-status'
  | 'callback-idempotency-key'
  | 'callback-ordering-key'
  | 'signing-secret';

/** Where a sealed value lives: the id of its row, and what it is there. */
export interface SealedPlace {
  readonly row: string;
  readonly purpose: SealPurpose;
}

/** A sealed value: version (1 byte), data key id (16), IV (12), ciphertext, tag (16). */
export const SEALED_VERSION = 1;
export const SEALED_CIPHER = 'aes-256-gcm';
const ID_BYTES = 16;
export const IV_BYTES = 12;
export const TAG_BYTES = 16;
export const IV_AT = 1 + ID_BYTES;
export const TEXT_AT = IV_AT + IV_BYTES;

/** The additional data of a sealed value: version, purpose and row. A view that is valid until the next call. */
export function sealedAdditionalData(place: SealedPlace): Buffer {
  return encodeFields(['tidegate sealed value 1', place.purpose, place.row]);
}

/** The 16 bytes of a data key's uuid. */
export function dataKeyIdBytes(id: string): Buffer {
  return Buffer.from(id.replaceAll('-', ''), 'hex');
}

/** The parts of a sealed value as views, or null when it cannot be one. `dataKeyId` is uuid text. */
export function splitSealed(
  sealed: Uint8Array,
): { dataKeyId: string; iv: Buffer; ciphertext: Buffer; tag: Buffer } | null {
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
  if (bytes.length < TEXT_AT + TAG_BYTES || bytes[0] !== SEALED_VERSION) return null;
  const hex = bytes.toString('hex', 1, IV_AT);
  const tagAt = bytes.length - TAG_BYTES;
  return {
    dataKeyId: `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`,
    iv: bytes.subarray(IV_AT, TEXT_AT),
    ciphertext: bytes.subarray(TEXT_AT, tagAt),
    tag: bytes.subarray(tagAt),
  };
}
