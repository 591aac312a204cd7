import { createSecretKey, type KeyObject } from 'node:crypto';
import { DATA_KEY_INFO, ENCAPSULATED_BYTES, hpkeSuite, WRAPPED_BYTES, WRAPPED_VERSION } from '../sealing/hpke-suite.ts';
import { dataKeyIdBytes } from '../sealing/sealed-layout.ts';
import type { PrivateSealingKey } from './load-opening-keyring.ts';

/** Unwraps a data key with the private key it was wrapped to; null when the wrapped key is damaged or another's. */
export async function unwrapDataKey(
  recipientKey: PrivateSealingKey,
  id: string,
  wrapped: Uint8Array,
): Promise<KeyObject | null> {
  if (wrapped.length !== WRAPPED_BYTES || wrapped[0] !== WRAPPED_VERSION) return null;
  const bytes = new Uint8Array(wrapped);
  const enc = bytes.slice(1, 1 + ENCAPSULATED_BYTES);
  const ciphertext = bytes.slice(1 + ENCAPSULATED_BYTES);
  try {
    const opened = await hpkeSuite.open({ recipientKey, enc, info: DATA_KEY_INFO }, ciphertext, dataKeyIdBytes(id));
    const raw = new Uint8Array(opened);
    const key = createSecretKey(raw);
    raw.fill(0);
    return key;
  } catch {
    return null;
  }
}
