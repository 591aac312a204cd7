import { createHmac } from 'node:crypto';
import type { ConnectivityStatus } from '@tidegate/core';
import type { Keyring } from '../keyring/keyring.ts';
import { encodeFields } from './encode-fields.ts';
import type { SubjectName } from './fingerprint-subject.ts';

/**
 * The fact a delivery reports; `actionDateRaw` is the text as received, since two spellings of one instant are two
 * observations.
 */
export interface ObservedFact extends SubjectName {
  readonly status: ConnectivityStatus;
  readonly actionDateRaw: string;
}

/**
 * The key of an observation: the first 128 bits of an HMAC-SHA-256 over all its fields, written as a uuid (version 8 of
 * RFC 9562, which leaves 122 of them). Made under a key that is never rotated, so that exact repeats meet for ever
 * (DESIGN §4).
 */
export function observationKey(keyring: Keyring, fact: ObservedFact): string {
  const hex = createHmac('sha256', keyring.observation)
    .update(encodeFields([fact.group, fact.type, fact.id, fact.status, fact.actionDateRaw]))
    .digest('hex');
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  const tail = `${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${tail}`;
}
